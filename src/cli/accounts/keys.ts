/** `hearth keys`: makes, lists, changes, rotates and removes API keys. */
import type { Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import type { KeyChange } from "../../accounts/keys/keys.js";
import type { ApiKey, Principal } from "../../accounts/keys/api-key.js";
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
  asUsage,
  collect,
  ipArgument,
  limitArgument,
  timeArgument,
  toEach,
  type AccountsIo,
  type UsingAccounts,
} from "./open-accounts.js";

interface KeyOptions {
  readonly name?: string;
  readonly acl?: readonly string[];
  readonly expires?: number | "never";
  readonly qps?: number | "none";
  readonly qpm?: number | "none";
  readonly tpm?: number | "none";
  readonly ip?: readonly string[] | "any";
  readonly json?: true;
}

/** Adds `keys` and what it can do. */
export function addKeysCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const keys = program.command("keys").description("make, list, change, rotate and remove API keys");
  addCreate(keys, using, io);
  keys
    .command("ls")
    .alias("list")
    .description("list the API keys")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const all = await using((accounts) => accounts.keys.list());
      const now = io.clock.now();
      io.out.write(
        json === true ? formatJson(all.map((each) => keyToJson(each, now))) : keysToTable(all, now),
      );
    });
  addUpdate(keys, using, io);
  addRotate(keys, using, io);
  addForEach(keys, "disable", "let API keys open nothing until they are enabled", using, io, (accounts, id) =>
    accounts.keys.update(id, { disabled: true }, accounts.actor),
  );
  addForEach(keys, "enable", "let disabled API keys open again", using, io, (accounts, id) =>
    accounts.keys.update(id, { disabled: false }, accounts.actor),
  );
  addForEach(
    keys,
    "block",
    "let API keys open nothing until the operator unblocks them",
    using,
    io,
    (accounts, id) => accounts.keys.update(id, { blocked: true }, accounts.actor),
  );
  addForEach(keys, "unblock", "let blocked API keys open again", using, io, (accounts, id) =>
    accounts.keys.update(id, { blocked: false }, accounts.actor),
  );
  addForEach(keys, "rm", "remove API keys for good", using, io, (accounts, id) =>
    accounts.keys.remove(id, accounts.actor),
  );
}

function addCreate(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  withKeyOptions(keys.command("create"), io)
    .description("make an API key and print its secret, this once")
    .option("--team <team>", "ID or name of its team (default: the first)")
    .action(async ({ team, json, ...options }: KeyOptions & { team?: string }, command: Command) => {
      const created = await using((accounts) =>
        asUsage(command, async () => {
          const teamId = team === undefined ? null : (await accounts.teams.meant(team)).id;
          return accounts.keys.create({ teamId, name: "unnamed", ...changeOf(options) }, accounts.actor);
        }),
      );
      io.out.write(
        json === true ? formatJson(createdToJson(created, io.clock.now())) : createdToText(created),
      );
    });
}

function addUpdate(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  withKeyOptions(keys.command("update"), io)
    .description("change an API key; what is not given stays")
    .argument("<id>", "ID or KEY as `hearth keys ls` shows it")
    .action(async (reference: string, { json, ...options }: KeyOptions, command: Command) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        command.error("error: nothing to change was given", { exitCode: 2 });
      const found = await using(async (accounts) => {
        const { id } = await accounts.keys.meant(reference);
        return withTeam(
          accounts,
          await asUsage(command, () => accounts.keys.update(id, change, accounts.actor)),
        );
      });
      io.out.write(json === true ? formatJson(keyToJson(found, io.clock.now())) : keyToLine(found.key));
    });
}

function addRotate(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  keys
    .command("rotate")
    .description("give an API key a new secret and print it, this once; the old one opens for a day still")
    .argument("<id>", "ID or KEY as `hearth keys ls` shows it")
    .option(
      "--old-secret-expires <time>",
      "until when the old secret opens, such as 1h",
      timeArgument(io.clock),
    )
    .option("--json", "print one JSON object")
    .action(
      async (
        reference: string,
        { oldSecretExpires, json }: { oldSecretExpires?: number | "never"; json?: true },
        command: Command,
      ) => {
        if (oldSecretExpires === "never")
          return command.error("error: an old secret always expires", { exitCode: 2 });
        const rotation = oldSecretExpires === undefined ? {} : { oldSecretExpireTime: oldSecretExpires };
        const created = await using(async (accounts) => {
          const { id } = await accounts.keys.meant(reference);
          const { key, secret } = await asUsage(command, () =>
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

function addForEach(
  keys: Command,
  name: string,
  description: string,
  using: UsingAccounts,
  { out }: AccountsIo,
  act: (accounts: OpenAccounts, id: string) => Promise<ApiKey>,
): void {
  keys
    .command(name)
    .description(description)
    .argument("<id...>", "ID or KEY as `hearth keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await act(accounts, (await accounts.keys.meant(reference)).id);
        done.push(id);
        if (json !== true) out.write(`${id}\n`);
      };
      await using((accounts) => toEach(references, each(accounts))).finally(() => {
        if (json === true) out.write(formatJson(done));
      });
    });
}

function withKeyOptions(command: Command, io: AccountsIo): Command {
  return command
    .option("--name <name>", "what to call it")
    .option("--acl <acl>", "what it may use, such as api-key:endpoint:chat; may be repeated", collect)
    .option("--expires <time>", "when it expires, such as 30d, or never", timeArgument(io.clock))
    .option("--qps <n>", "requests per second, or none", limitArgument)
    .option("--qpm <n>", "requests per minute, or none", limitArgument)
    .option("--tpm <n>", "tokens per minute, or none", limitArgument)
    .option("--ip <range>", "address or CIDR range to be used from, or any; may be repeated", ipArgument)
    .option("--json", "print one JSON object");
}

function changeOf({ name, acl, expires, qps, qpm, tpm, ip }: KeyOptions): KeyChange {
  return {
    ...(name === undefined ? {} : { name }),
    ...(acl === undefined ? {} : { acls: acl }),
    ...(expires === undefined ? {} : { expireTime: expires === "never" ? null : expires }),
    ...(qps === undefined ? {} : { qps: qps === "none" ? null : qps }),
    ...(qpm === undefined ? {} : { qpm: qpm === "none" ? null : qpm }),
    ...(tpm === undefined ? {} : { tpm: tpm === "none" ? null : tpm }),
    ...(ip === undefined ? {} : { ipRanges: ip === "any" ? null : ip }),
  };
}

async function withTeam({ teams, actor }: OpenAccounts, key: ApiKey): Promise<Principal> {
  return { key, team: await teams.find(key.teamId, actor) };
}
