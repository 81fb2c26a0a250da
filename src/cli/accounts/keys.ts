/** `hearth keys`: creates, lists, changes, rotates and removes API keys. */
import { Option, type Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import { settingEntries, type SettingKind } from "../../accounts/keys/key-settings.js";
import type { KeyChange } from "../../accounts/keys/keys.js";
import type { ApiKey, Principal } from "../../accounts/principals/api-key.js";
import {
  createdToJson,
  createdToText,
  keyToJson,
  keysToTable,
  keyToLine,
  rotatedToText,
} from "./key-columns.js";
import { formatJson } from "../table.js";
import {
  reportInvalidValues,
  collect,
  ipArgument,
  limitArgument,
  timeArgument,
  forEachReference,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface KeyOptions {
  readonly json?: true;
  readonly [option: string]: unknown;
}

/** Adds `keys` and its subcommands. */
export function addKeysCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const keys = program.command("keys").description("create, list, change, rotate and remove API keys");
  addCreateCommand(keys, using, io);
  keys
    .command("ls")
    .alias("list")
    .description("list the API keys")
    .option("--team <team>", "only the keys of this team, by ID or name")
    .option("--json", "print one JSON array")
    .action(async ({ team: reference, json }: { team?: string; json?: true }) => {
      const all = await using(async ({ keys: service, teams }) => {
        const teamId = reference === undefined ? null : (await teams.resolve(reference)).id;
        return (await service.list()).filter(({ team }) => teamId === null || team.id === teamId);
      });
      const now = io.clock.now();
      io.out.write(
        json === true ? formatJson(all.map((each) => keyToJson(each, now))) : keysToTable(all, now),
      );
    });
  addUpdateCommand(keys, using, io);
  addRotateCommand(keys, using, io);
  addForEachCommand(keys, "disable", "disable API keys until they are enabled", using, io, (accounts, id) =>
    accounts.keys.update(id, { disabled: true }, accounts.actor),
  );
  addForEachCommand(keys, "enable", "enable disabled API keys", using, io, (accounts, id) =>
    accounts.keys.update(id, { disabled: false }, accounts.actor),
  );
  addForEachCommand(
    keys,
    "block",
    "block API keys until the operator unblocks them",
    using,
    io,
    (accounts, id) => accounts.keys.update(id, { blocked: true }, accounts.actor),
  );
  addForEachCommand(keys, "unblock", "unblock API keys", using, io, (accounts, id) =>
    accounts.keys.update(id, { blocked: false }, accounts.actor),
  );
  addForEachCommand(keys, "rm", "remove API keys permanently", using, io, (accounts, id) =>
    accounts.keys.remove(id, accounts.actor),
  );
}

function addCreateCommand(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  withKeyOptions(keys.command("create"), io)
    .description("create an API key and print its secret once")
    .option("--team <team>", "ID or name of its team (default: the first)")
    .action(async ({ team, json, ...options }: KeyOptions & { team?: string }, command: Command) => {
      const created = await using((accounts) =>
        reportInvalidValues(command, async () => {
          const teamId = team === undefined ? null : (await accounts.teams.resolve(team)).id;
          return accounts.keys.create({ teamId, name: "unnamed", ...toChange(options) }, accounts.actor);
        }),
      );
      io.out.write(
        json === true ? formatJson(createdToJson(created, io.clock.now())) : createdToText(created),
      );
    });
}

function addUpdateCommand(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  withKeyOptions(keys.command("update"), io)
    .description("change an API key; omitted options keep their values")
    .argument("<id>", "ID or KEY as `hearth keys ls` shows it")
    .action(async (reference: string, { json, ...options }: KeyOptions, command: Command) => {
      const change = toChange(options);
      if (Object.keys(change).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const found = await using(async (accounts) => {
        const { id } = await accounts.keys.resolve(reference);
        return withTeam(
          accounts,
          await reportInvalidValues(command, () => accounts.keys.update(id, change, accounts.actor)),
        );
      });
      io.out.write(json === true ? formatJson(keyToJson(found, io.clock.now())) : keyToLine(found.key));
    });
}

function addRotateCommand(keys: Command, using: UsingAccounts, io: AccountsIo): void {
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
        const rotation = oldSecretExpires === undefined ? {} : { oldSecretExpireTime: oldSecretExpires };
        const created = await using(async (accounts) => {
          const { id } = await accounts.keys.resolve(reference);
          const { key, secret } = await reportInvalidValues(command, () =>
            accounts.keys.rotate(id, rotation, accounts.actor),
          );
          return { ...(await withTeam(accounts, key)), secret };
        });
        io.out.write(
          json === true ? formatJson(createdToJson(created, io.clock.now())) : rotatedToText(created),
        );
      },
    );
}

function addForEachCommand(
  keys: Command,
  name: string,
  description: string,
  using: UsingAccounts,
  { out }: AccountsIo,
  apply: (accounts: OpenAccounts, id: string) => Promise<ApiKey>,
): void {
  keys
    .command(name)
    .description(description)
    .argument("<id...>", "ID or KEY as `hearth keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await apply(accounts, (await accounts.keys.resolve(reference)).id);
        done.push(id);
        if (json !== true) out.write(`${id}\n`);
      };
      await using((accounts) => forEachReference(references, each(accounts))).finally(() => {
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

function toChange(options: KeyOptions): KeyChange {
  const given = settingEntries.flatMap(([name, { kind, option }]) => {
    const value = option === undefined ? undefined : options[new Option(option[0]).attributeName()];
    return value === undefined ? [] : [[name, value === nothing[kind] ? null : value]];
  });
  return Object.fromEntries(given) as KeyChange;
}

async function withTeam({ teams, actor }: OpenAccounts, key: ApiKey): Promise<Principal> {
  return { key, team: await teams.find(key.teamId, actor) };
}
