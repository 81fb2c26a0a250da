/** `hearth keys`: creates, lists, changes, rotates and removes API keys. */
import { Option, type Command } from "commander";
import { settingEntries, type SettingKind } from "../../accounts/keys/key-settings.js";
import type { OperatorKey } from "../../http/management/operator/keys.js";
import type { WireCreatedKey, WireKey } from "../../http/management/keys/present-key.js";
import type { OperatorClient } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { printMade, type MadeOptions } from "../made.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  reportInvalidValues,
  collect,
  ipArgument,
  limitArgument,
  timeArgument,
  forEachReference,
  shortId,
  type AccountsIo,
  type UsingOperator,
  formatAge,
  formatLastUse,
} from "../command-helpers.js";

const keyHelp = "ID, its beginning, the name, or KEY as `hearth keys ls` shows it";

/** How long the old secret of a rotated key stays valid. */
const dayMs = 86_400_000;

interface KeyOptions extends MadeOptions {
  readonly [option: string]: unknown;
}

/** Adds `keys` and its subcommands. */
export function addKeysCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const keys = program.command("keys").description("create, list, change, rotate and remove API keys");
  addCreateCommand(keys, using, io);
  withListing(keys.command("ls").alias("list"))
    .description("list the API keys")
    .option("--team <team>", "only the keys of this team, by ID or name")
    .action(async ({ team, ...options }: ListingOptions & { team?: string }) => {
      const { apiKeys } = await using(async (api) => {
        const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
        return api.get<{ apiKeys: readonly OperatorKey[] }>("/operator/api-keys", { teamId });
      });
      const now = io.clock.now();
      printListing(io, options, {
        items: apiKeys,
        columns: listKeyColumns(now),
        json: () => apiKeys.map((key) => keyToJson(key, now)),
        empty: `No API keys. Make one: hearth keys create --name NAME${team === undefined ? "" : ` --team ${team}`}`,
      });
    });
  addUpdateCommand(keys, using, io);
  addRotateCommand(keys, using, io);
  addForEachCommands(keys, using, io);
}

/** Adds the commands that do one thing to each of several keys. */
function addForEachCommands(keys: Command, using: UsingOperator, io: AccountsIo): void {
  const change = (setting: object) => (api: OperatorClient, id: string) => updateKey(api, id, setting);
  const all: readonly EachCommand[] = [
    {
      name: "disable",
      done: "disabled",
      description: "disable API keys until they are enabled",
      apply: change({ disabled: true }),
    },
    {
      name: "enable",
      done: "enabled",
      description: "enable disabled API keys",
      apply: change({ disabled: false }),
    },
    {
      name: "block",
      done: "blocked",
      description: "block API keys until the operator unblocks them",
      apply: change({ blocked: true }),
    },
    {
      name: "unblock",
      done: "unblocked",
      description: "unblock API keys",
      apply: change({ blocked: false }),
    },
    {
      name: "rm",
      done: "removed",
      description: "remove API keys permanently",
      apply: (api, id) => api.request("DELETE", `/auth/api-keys/${id}`),
    },
  ];
  for (const each of all) addForEachCommand(keys, each, using, io);
}

function updateKey(api: OperatorClient, id: string, apiKey: object): Promise<WireKey> {
  return api.request("PUT", `/auth/api-keys/${id}`, { apiKey, fieldMask: Object.keys(apiKey).join() });
}

function addCreateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  withKeyOptions(keys.command("create"), io)
    .description("create an API key and print its secret once")
    .option("--team <team>", "ID or name of its team (default: the first)")
    .action(async ({ team, json, quiet, ...options }: KeyOptions & { team?: string }, command: Command) => {
      const created = await using((api) =>
        reportInvalidValues(command, async () => {
          const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
          const request = { teamId, name: "unnamed", ...toChange(options) };
          return api.request<KeyWithSecret>("POST", "/operator/api-keys", request);
        }),
      );
      const next = `Clients send it as their API key; what it may do: hearth keys update ${shortId(created.apiKeyId)} --help\n`;
      printMade(
        io.out,
        { json, quiet },
        {
          value: createdToJson(created, io.clock.now()),
          text: createdToText(created) + next,
          bare: created.apiKey,
        },
      );
    });
}

function addUpdateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  withKeyOptions(keys.command("update"), io)
    .description("change an API key; omitted options keep their values")
    .argument("<id>", keyHelp)
    .action(async (reference: string, { json, ...options }: KeyOptions, command: Command) => {
      const change = toChange(options);
      if (Object.keys(change).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const key = await using(async (api) => {
        const { apiKeyId, teamName, teamBlocked } = await api.findKey(reference);
        const changed = await reportInvalidValues(command, () => updateKey(api, apiKeyId, change));
        return { ...changed, teamName, teamBlocked };
      });
      io.out.write(
        json === true
          ? formatJson(keyToJson(key, io.clock.now()))
          : `changed the API key "${key.name}", ID ${key.apiKeyId}\n`,
      );
    });
}

function addRotateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  keys
    .command("rotate")
    .description(
      "replace the secret of an API key and print the new one once; the old one stays valid for a day",
    )
    .argument("<id>", keyHelp)
    .option("--old-secret-expires <time>", "when the old secret expires, such as 1h", timeArgument(io.clock))
    .option("--json", "print one JSON object")
    .action(
      async (
        reference: string,
        { oldSecretExpires, ...options }: MadeOptions & { oldSecretExpires?: number | "never" },
        command: Command,
      ) => {
        if (oldSecretExpires === "never")
          return command.error("error: the old secret must expire", { exitCode: 2 });
        const now = io.clock.now();
        const until = new Date(oldSecretExpires ?? now + dayMs).toISOString();
        const created = await using(async (api) => {
          const { apiKeyId, teamName, teamBlocked } = await api.findKey(reference);
          const rotated = await reportInvalidValues(command, () =>
            api.request<WireCreatedKey>("POST", `/auth/api-keys/${apiKeyId}/rotate`, {
              oldSecretExpireTime: until,
            }),
          );
          return { ...rotated, teamName, teamBlocked };
        });
        printMade(io.out, options, {
          value: createdToJson(created, now),
          text: rotatedToText(created, until),
          bare: created.apiKey,
        });
      },
    );
}

interface EachCommand {
  readonly name: string;
  /** What has become of a key. */
  readonly done: string;
  readonly description: string;
  readonly apply: (api: OperatorClient, id: string) => Promise<unknown>;
}

function addForEachCommand(
  keys: Command,
  { name, done, description, apply }: EachCommand,
  using: UsingOperator,
  { out }: AccountsIo,
): void {
  const command = keys.command(name);
  if (name === "rm") command.alias("delete");
  command
    .description(description)
    .argument("<id...>", keyHelp)
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const ids: string[] = [];
      const each = (api: OperatorClient) => async (reference: string) => {
        const { apiKeyId, name: called } = await api.findKey(reference);
        await apply(api, apiKeyId);
        ids.push(apiKeyId);
        if (json !== true) out.write(`${done} the API key "${called}", ID ${apiKeyId}\n`);
      };
      await using((api) => forEachReference(references, each(api))).finally(() => {
        if (json === true) out.write(formatJson(ids));
      });
    });
}

/** Adds the options of all settings. */
function withKeyOptions(command: Command, io: AccountsIo): Command {
  for (const [, { kind, option }] of settingEntries) {
    if (option === undefined) continue;
    const parse = optionParsers(io)[kind];
    if (parse === undefined) command.option(...option);
    else command.option(...option, parse);
  }
  return command.option("--json", "print one JSON object");
}

type Parser = (written: string, before: unknown) => unknown;

function optionParsers({ clock }: AccountsIo): Partial<Record<SettingKind, Parser>> {
  return {
    acls: (written, before) => collect(written, before as Parameters<typeof collect>[1]),
    int32: limitArgument,
    int64: limitArgument,
    time: timeArgument(clock),
    ranges: (written, before) => ipArgument(written, before as Parameters<typeof ipArgument>[1]),
  };
}

/** The word for no value of each kind. */
const nothing: Readonly<Partial<Record<SettingKind, string>>> = {
  int32: "none",
  int64: "none",
  time: "never",
  ranges: "any",
};

/** Returns the settings that the options give, as the API takes them. */
function toChange(options: KeyOptions): Readonly<Record<string, unknown>> {
  const given = settingEntries.flatMap(([name, { kind, option }]) => {
    const value = option === undefined ? undefined : options[new Option(option[0]).attributeName()];
    if (value === undefined) return [];
    if (value === nothing[kind]) return [[name, null]];
    return [[name, kind === "time" ? new Date(Number(value)).toISOString() : value]];
  });
  return Object.fromEntries(given) as Readonly<Record<string, unknown>>;
}

/** A key with its team and its new secret. */
interface KeyWithSecret extends OperatorKey {
  readonly apiKey: string;
}

function createdToText({ name, apiKeyId, teamName, apiKey }: KeyWithSecret): string {
  return (
    `API key "${name}" of team "${teamName}", ID ${shortId(apiKeyId)}:\n\n  ${apiKey}\n\n` +
    "Store it in a safe place: it is not shown again.\n"
  );
}

/** @param until when the old secret expires, unless the key expires before */
function rotatedToText(created: KeyWithSecret, until: string): string {
  const { expireTime = until } = created;
  const earlier = Date.parse(expireTime) < Date.parse(until) ? expireTime : until;
  return `${createdToText(created)}The old secret is valid until ${earlier}.\n`;
}

/** @param now milliseconds since the epoch; determines whether the key has expired. */
function keyToJson({ teamBlocked, ...key }: OperatorKey, now: number) {
  return { ...key, status: describeState({ teamBlocked, ...key }, now), blocked: key.blocked ?? false };
}

function createdToJson({ apiKey, ...created }: KeyWithSecret, now: number) {
  return { ...keyToJson(created, now), apiKey };
}

function listKeyColumns(now: number): readonly TableColumn<OperatorKey>[] {
  return [
    { title: "NAME", cell: ({ name }) => name, charsMin: 12 },
    { title: "ID", cell: ({ apiKeyId }) => apiKeyId, kind: "id" },
    { title: "KEY", cell: ({ redactedApiKey }) => redactedApiKey, leftOut: 1 },
    { title: "TEAM", cell: ({ teamName }) => teamName, charsMin: 8 },
    { title: "CREATED", cell: ({ createTime }) => formatAge(createTime, now), leftOut: 2 },
    { title: "LAST USED", cell: ({ lastUseTime }) => formatLastUse(lastUseTime, now) },
    { title: "STATE", cell: (key) => describeState(key, now) },
  ];
}

function describeState({ teamBlocked, blocked, disabled, expireTime }: OperatorKey, now: number): string {
  if (teamBlocked) return "team blocked";
  if (blocked === true) return "blocked";
  if (disabled) return "disabled";
  return expireTime !== undefined && Date.parse(expireTime) <= now ? "expired" : "active";
}
