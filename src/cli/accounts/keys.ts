/** `hearth keys`: creates, lists, changes, rotates and removes API keys. */
import type { Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
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
  readonly name?: string;
  readonly acl?: readonly string[];
  readonly expires?: number | "never";
  readonly qps?: number | "none";
  readonly qpm?: number | "none";
  readonly tpm?: number | "none";
  readonly userQpm?: number | "none";
  readonly userTpm?: number | "none";
  readonly ip?: readonly string[] | "any";
  readonly json?: true;
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
          return accounts.keys.create({ teamId, name: "unnamed", ...changeOf(options) }, accounts.actor);
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
      const change = changeOf(options);
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

function withKeyOptions(command: Command, io: AccountsIo): Command {
  return command
    .option("--name <name>", "name of the key")
    .option("--acl <acl>", "permission, such as api-key:endpoint:chat; may be repeated", collect)
    .option("--expires <time>", "when it expires, such as 30d, or never", timeArgument(io.clock))
    .option("--qps <n>", "requests per second, or none", limitArgument)
    .option("--qpm <n>", "requests per minute, or none", limitArgument)
    .option("--tpm <n>", "tokens per minute, or none", limitArgument)
    .option("--user-qpm <n>", "requests per minute of each end user, or none", limitArgument)
    .option("--user-tpm <n>", "tokens per minute of each end user, or none", limitArgument)
    .option(
      "--ip <range>",
      "address or CIDR range from which the key may be used, or any; may be repeated",
      ipArgument,
    )
    .option("--json", "print one JSON object");
}

function changeOf({ name, acl, expires, qps, qpm, tpm, userQpm, userTpm, ip }: KeyOptions): KeyChange {
  return {
    ...(name === undefined ? {} : { name }),
    ...(acl === undefined ? {} : { acls: acl }),
    ...(expires === undefined ? {} : { expireTime: expires === "never" ? null : expires }),
    ...(qps === undefined ? {} : { qps: qps === "none" ? null : qps }),
    ...(qpm === undefined ? {} : { qpm: qpm === "none" ? null : qpm }),
    ...(tpm === undefined ? {} : { tpm: tpm === "none" ? null : tpm }),
    ...(userQpm === undefined ? {} : { endUserQpm: userQpm === "none" ? null : userQpm }),
    ...(userTpm === undefined ? {} : { endUserTpm: userTpm === "none" ? null : userTpm }),
    ...(ip === undefined ? {} : { ipRanges: ip === "any" ? null : ip }),
  };
}

async function withTeam({ teams, actor }: OpenAccounts, key: ApiKey): Promise<Principal> {
  return { key, team: await teams.find(key.teamId, actor) };
}
