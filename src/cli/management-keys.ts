/** `hearth management-keys`: makes, lists and removes the keys of the management plane. */
import type { Command } from "commander";
import type { OpenAccounts } from "../app.js";
import type { ManagementKey } from "../core/management-key.js";
import type { Team } from "../core/team.js";
import { ago } from "./span.js";
import { formatJson, formatTable } from "./table.js";
import {
  asUsage,
  collect,
  shortId,
  timeArgument,
  toEach,
  type AccountsIo,
  type UsingAccounts,
} from "./using-accounts.js";

interface KeyOptions {
  readonly name: string;
  readonly team?: string;
  readonly acl?: readonly string[];
  readonly expires?: number | "never";
  readonly json?: true;
}

/** Adds `management-keys` and what it can do. */
export function addManagementKeysCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const keys = program.command("management-keys").description("make, list and remove management keys");
  addCreate(keys, using, io);
  keys
    .command("ls")
    .alias("list")
    .description("list the management keys")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const [all, teams] = await using(async (accounts) => [
        await accounts.managementKeys.list(),
        await accounts.teams.list(accounts.actor),
      ]);
      io.out.write(json === true ? formatJson(all.map(keyToJson)) : toTable(all, teams, io.clock.now()));
    });
  keys
    .command("rm")
    .description("remove management keys for good")
    .argument("<id...>", "ID or KEY as `hearth management-keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await accounts.managementKeys.remove(reference, accounts.actor);
        done.push(id);
        if (json !== true) io.out.write(`${id}\n`);
      };
      await using((accounts) => toEach(references, each(accounts))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreate(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  keys
    .command("create")
    .description("make a management key and print its secret, this once")
    .option("--name <name>", "what to call it", "unnamed")
    .option("--team <team>", "ID or name of the one team that it is for (default: all)")
    .option(
      "--acl <acl>",
      "what it may do, such as team-token:endpoint:ListApiKeys; may be repeated",
      collect,
    )
    .option("--expires <time>", "when it expires, such as 30d", timeArgument(io.clock))
    .option("--json", "print one JSON object")
    .action(async ({ name, team, acl, expires, json }: KeyOptions, command: Command) => {
      const { key, secret } = await using((accounts) =>
        asUsage(command, async () => {
          const teamId = team === undefined ? null : (await accounts.teams.meant(team)).id;
          const wish = {
            name,
            teamId,
            expireTime: expires === "never" ? null : (expires ?? null),
            ...(acl === undefined ? {} : { acls: acl }),
          };
          return accounts.managementKeys.create(wish, accounts.actor);
        }),
      );
      const text = `Management key "${key.name}", ID ${shortId(key.id)}:\n\n  ${secret}\n\nKeep it in a safe place: it is not shown again.\n`;
      io.out.write(json === true ? formatJson({ ...keyToJson(key), apiKey: secret }) : text);
    });
}

/** The fields that the management API tells of the key that asks. */
function keyToJson(key: ManagementKey) {
  return {
    apiKeyId: key.id,
    name: key.name,
    redactedApiKey: key.redacted,
    ...(key.teamId === null ? {} : { scopeId: key.teamId }),
    scope: key.teamId === null ? "SCOPE_GLOBAL" : "SCOPE_TEAM",
    ownerUserId: key.userId,
    createTime: new Date(key.createTime).toISOString(),
    ...(key.expireTime === null ? {} : { expireTime: new Date(key.expireTime).toISOString() }),
    acls: key.acls,
  };
}

function toTable(all: readonly ManagementKey[], teams: readonly Team[], now: number): string {
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const rows = all.map((key) => [
    key.name,
    shortId(key.id),
    key.redacted,
    key.teamId === null ? "all" : (names.get(key.teamId) ?? key.teamId),
    ago(now - key.createTime),
    key.expireTime !== null && key.expireTime <= now ? "expired" : "active",
  ]);
  return formatTable(["NAME", "ID", "KEY", "TEAM", "CREATED", "STATE"], rows);
}
