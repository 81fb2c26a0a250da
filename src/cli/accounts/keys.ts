/** `hearth keys`: creates, lists, changes, rotates and removes API keys. */
import { Option, type Command } from "commander";
import { settingEntries, type SettingKind } from "../../accounts/keys/key-settings.js";
import type { OperatorKey } from "../../http/management/operator/keys.js";
import {
  createdToJson,
  createdToText,
  keyToJson,
  keysToTable,
  rotatedToText,
  type KeyWithSecret,
} from "./key-columns.js";
import type { WireCreatedKey, WireKey } from "../../http/management/keys/present-key.js";
import type { OperatorClient } from "../operator.js";
import { formatJson } from "../table.js";
import {
  reportInvalidValues,
  collect,
  ipArgument,
  limitArgument,
  timeArgument,
  forEachReference,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

/** How long the old secret of a rotated key stays valid. */
const dayMs = 86_400_000;

interface KeyOptions {
  readonly json?: true;
  readonly [option: string]: unknown;
}

/** Adds `keys` and its subcommands. */
export function addKeysCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const keys = program.command("keys").description("create, list, change, rotate and remove API keys");
  addCreateCommand(keys, using, io);
  keys
    .command("ls")
    .alias("list")
    .description("list the API keys")
    .option("--team <team>", "only the keys of this team, by ID or name")
    .option("--json", "print one JSON array")
    .action(async ({ team, json }: { team?: string; json?: true }) => {
      const all = await using(async (api) => {
        const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
        return api.get<{ apiKeys: readonly OperatorKey[] }>("/operator/api-keys", { teamId });
      });
      const now = io.clock.now();
      const { apiKeys } = all;
      io.out.write(
        json === true ? formatJson(apiKeys.map((key) => keyToJson(key, now))) : keysToTable(apiKeys, now),
      );
    });
  addUpdateCommand(keys, using, io);
  addRotateCommand(keys, using, io);
  const change = (setting: object) => (api: OperatorClient, id: string) => updateKey(api, id, setting);
  addForEachCommand(
    keys,
    "disable",
    "disable API keys until they are enabled",
    using,
    io,
    change({ disabled: true }),
  );
  addForEachCommand(keys, "enable", "enable disabled API keys", using, io, change({ disabled: false }));
  addForEachCommand(
    keys,
    "block",
    "block API keys until the operator unblocks them",
    using,
    io,
    change({ blocked: true }),
  );
  addForEachCommand(keys, "unblock", "unblock API keys", using, io, change({ blocked: false }));
  addForEachCommand(keys, "rm", "remove API keys permanently", using, io, (api, id) =>
    api.request("DELETE", `/auth/api-keys/${id}`),
  );
}

function updateKey(api: OperatorClient, id: string, apiKey: object): Promise<WireKey> {
  return api.request("PUT", `/auth/api-keys/${id}`, { apiKey, fieldMask: Object.keys(apiKey).join() });
}

function addCreateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  withKeyOptions(keys.command("create"), io)
    .description("create an API key and print its secret once")
    .option("--team <team>", "ID or name of its team (default: the first)")
    .action(async ({ team, json, ...options }: KeyOptions & { team?: string }, command: Command) => {
      const created = await using((api) =>
        reportInvalidValues(command, async () => {
          const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
          const request = { teamId, name: "unnamed", ...toChange(options) };
          return api.request<KeyWithSecret>("POST", "/operator/api-keys", request);
        }),
      );
      io.out.write(
        json === true ? formatJson(createdToJson(created, io.clock.now())) : createdToText(created),
      );
    });
}

function addUpdateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  withKeyOptions(keys.command("update"), io)
    .description("change an API key; omitted options keep their values")
    .argument("<id>", "ID or KEY as `hearth keys ls` shows it")
    .action(async (reference: string, { json, ...options }: KeyOptions, command: Command) => {
      const change = toChange(options);
      if (Object.keys(change).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const key = await using(async (api) => {
        const { apiKeyId, teamName, teamBlocked } = await api.findKey(reference);
        const changed = await reportInvalidValues(command, () => updateKey(api, apiKeyId, change));
        return { ...changed, teamName, teamBlocked };
      });
      io.out.write(json === true ? formatJson(keyToJson(key, io.clock.now())) : `${key.apiKeyId}\n`);
    });
}

function addRotateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
  keys
    .command("rotate")
    .description(
      "replace the secret of an API key and print the new one once; the old one stays valid for a day",
    )
    .argument("<id>", "ID or KEY as `hearth keys ls` shows it")
    .option("--old-secret-expires <time>", "when the old secret expires, such as 1h", timeArgument(io.clock))
    .option("--json", "print one JSON object")
    .action(
      async (
        reference: string,
        { oldSecretExpires, json }: { oldSecretExpires?: number | "never"; json?: true },
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
        io.out.write(json === true ? formatJson(createdToJson(created, now)) : rotatedToText(created, until));
      },
    );
}

function addForEachCommand(
  keys: Command,
  name: string,
  description: string,
  using: UsingOperator,
  { out }: AccountsIo,
  apply: (api: OperatorClient, id: string) => Promise<unknown>,
): void {
  keys
    .command(name)
    .description(description)
    .argument("<id...>", "ID or KEY as `hearth keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (api: OperatorClient) => async (reference: string) => {
        const { apiKeyId } = await api.findKey(reference);
        await apply(api, apiKeyId);
        done.push(apiKeyId);
        if (json !== true) out.write(`${apiKeyId}\n`);
      };
      await using((api) => forEachReference(references, each(api))).finally(() => {
        if (json === true) out.write(formatJson(done));
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
