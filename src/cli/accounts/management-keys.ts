/** `hearth management-keys`: creates, lists and removes keys of the management API. */
import type { Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import type { CreateManagementKeyRequest } from "../../accounts/management-keys/management-keys.js";
import type { ManagementKey } from "../../accounts/principals/management-key.js";
import type { Member } from "../../accounts/principals/member.js";
import type { Team } from "../../accounts/principals/team.js";
import { ago } from "../duration.js";
import { formatJson, formatTable } from "../table.js";
import {
  reportInvalidValues,
  collect,
  ipArgument,
  formatLastUse,
  shortId,
  timeArgument,
  forEachReference,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface KeyOptions {
  readonly name: string;
  readonly team?: string;
  readonly acl?: readonly string[];
  readonly expires?: number | "never";
  readonly ip?: readonly string[] | "any";
  readonly member?: string;
  readonly json?: true;
}

/** Adds `management-keys` and its subcommands. */
export function addManagementKeysCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const keys = program.command("management-keys").description("create, list and remove management keys");
  addCreateCommand(keys, using, io);
  keys
    .command("ls")
    .alias("list")
    .description("list the management keys")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const all = await using(listAll);
      io.out.write(json === true ? formatJson(all.keys.map(keyToJson)) : toTable(all, io.clock.now()));
    });
  keys
    .command("rm")
    .description("remove management keys permanently")
    .argument("<id...>", "ID or KEY as `hearth management-keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await accounts.managementKeys.remove(reference, accounts.actor);
        done.push(id);
        if (json !== true) io.out.write(`${id}\n`);
      };
      await using((accounts) => forEachReference(references, each(accounts))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreateCommand(keys: Command, using: UsingAccounts, io: AccountsIo): void {
  keys
    .command("create")
    .description("create a management key and print its secret once")
    .option("--name <name>", "name of the key", "unnamed")
    .option("--team <team>", "ID or name of the team that it manages (default: all teams)")
    .option("--acl <acl>", "permission, such as team-token:endpoint:ListApiKeys; may be repeated", collect)
    .option("--expires <time>", "when it expires, such as 30d", timeArgument(io.clock))
    .option(
      "--ip <range>",
      "address or CIDR range from which the key may be used, or any; may be repeated",
      ipArgument,
    )
    .option("--member <member>", "ID or e-mail of the member that owns it and whose role limits it")
    .option("--json", "print one JSON object")
    .action(async ({ json, ...options }: KeyOptions, command: Command) => {
      const { key, secret } = await using((accounts) =>
        reportInvalidValues(command, async () =>
          accounts.managementKeys.create(await toCreateRequest(options, accounts), accounts.actor),
        ),
      );
      const text = `Management key "${key.name}", ID ${shortId(key.id)}:\n\n  ${secret}\n\nStore it in a safe place: it is not shown again.\n`;
      io.out.write(json === true ? formatJson({ ...keyToJson(key), apiKey: secret }) : text);
    });
}

/** If no team is given, the key of a member who belongs to a team is limited to that team. */
async function toCreateRequest(
  { name, team, acl, expires, ip, member }: KeyOptions,
  { members, teams }: OpenAccounts,
): Promise<CreateManagementKeyRequest> {
  const owner = member === undefined ? null : await members.resolve(member);
  return {
    name,
    teamId: team === undefined ? (owner?.teamId ?? null) : (await teams.resolve(team)).id,
    memberId: owner?.id ?? null,
    ipRanges: ip === "any" ? null : (ip ?? null),
    expireTime: expires === "never" ? null : (expires ?? null),
    ...(acl === undefined ? {} : { acls: acl }),
  };
}

interface All {
  readonly keys: readonly ManagementKey[];
  readonly members: readonly Member[];
  readonly teams: readonly Team[];
}

async function listAll({ managementKeys, members, teams, actor }: OpenAccounts): Promise<All> {
  return {
    keys: await managementKeys.list(),
    members: await members.list(),
    teams: await teams.list(actor),
  };
}

/** The fields with which the management API describes the caller's own key. */
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
    ...(key.lastUseTime === null ? {} : { lastUseTime: new Date(key.lastUseTime).toISOString() }),
    acls: key.acls,
    ipRanges: key.ipRanges,
  };
}

function toTable({ keys, members, teams }: All, now: number): string {
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const rows = keys.map((key) => [
    key.name,
    shortId(key.id),
    key.redacted,
    key.teamId === null ? "all" : (names.get(key.teamId) ?? key.teamId),
    emails.get(key.userId) ?? "-",
    ago(now - key.createTime),
    formatLastUse(key, now),
    key.expireTime !== null && key.expireTime <= now ? "expired" : "active",
  ]);
  return formatTable(["NAME", "ID", "KEY", "TEAM", "MEMBER", "CREATED", "LAST USED", "STATE"], rows);
}
