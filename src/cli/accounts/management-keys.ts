/** `hearth management-keys`: creates, lists and removes keys of the management API. */
import { printMade, type MadeOptions } from "../made.js";
import type { Command } from "commander";
import type { OperatorManagementKey } from "../../http/management/operator/management-keys.js";
import type { WireMember } from "../../http/server/present-member.js";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import { type OperatorClient, withQuery } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  reportInvalidValues,
  collect,
  formatAge,
  ipArgument,
  formatLastUse,
  shortId,
  timeArgument,
  forEachReference,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface KeyOptions extends MadeOptions {
  readonly name: string;
  readonly team?: string;
  readonly acl?: readonly string[];
  readonly expires?: number | "never";
  readonly ip?: readonly string[] | "any";
  readonly member?: string;
}

const path = "/operator/management-keys";

/** Adds `management-keys` and its subcommands. */
export function addManagementKeysCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const keys = program.command("management-keys").description("create, list and remove management keys");
  addCreateCommand(keys, using, io);
  withListing(keys.command("ls").alias("list"))
    .description("list the management keys")
    .action(async (options: ListingOptions) => {
      const all = await using(listAll);
      printListing(io, options, {
        items: all.managementKeys,
        columns: listColumns(all, io.clock.now()),
        empty: "No management keys. Make one: hearth management-keys create --name NAME",
      });
    });
  keys
    .command("rm")
    .alias("delete")
    .description("remove management keys permanently")
    .argument("<id...>", "ID or KEY as `hearth management-keys ls` shows it")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (api: OperatorClient) => async (reference: string) => {
        const removed = await api.request<OperatorManagementKey>("DELETE", withQuery(path, { reference }));
        done.push(removed.apiKeyId);
        if (json !== true)
          io.out.write(`removed the management key "${removed.name}", ID ${removed.apiKeyId}\n`);
      };
      await using((api) => forEachReference(references, each(api))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreateCommand(keys: Command, using: UsingOperator, io: AccountsIo): void {
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
    .action(async (options: KeyOptions, command: Command) => {
      const created = await using((api) =>
        reportInvalidValues(command, async () =>
          api.request<OperatorManagementKey & { apiKey: string }>(
            "POST",
            path,
            await toRequest(options, api),
          ),
        ),
      );
      const { name, apiKeyId, apiKey } = created;
      const text = `Management key "${name}", ID ${shortId(apiKeyId)}:\n\n  ${apiKey}\n\nStore it in a safe place: it is not shown again.\n`;
      printMade(io.out, options, { value: created, text, bare: apiKey });
    });
}

/** If no team is given, the key of a member who belongs to a team is limited to that team. */
async function toRequest(
  { name, team, acl, expires, ip, member }: KeyOptions,
  api: OperatorClient,
): Promise<object> {
  const owner = member === undefined ? null : await api.findMember(member);
  return {
    name,
    teamId: team === undefined ? owner?.teamId : (await api.findTeam(team)).teamId,
    memberId: owner?.memberId,
    ipRanges: ip === "any" ? undefined : ip,
    expireTime: typeof expires === "number" ? new Date(expires).toISOString() : undefined,
    acls: acl,
  };
}

interface All {
  readonly managementKeys: readonly OperatorManagementKey[];
  readonly members: readonly WireMember[];
  readonly teams: readonly WireTeam[];
}

async function listAll(api: OperatorClient): Promise<All> {
  return {
    managementKeys: await api.list(path, "managementKeys"),
    members: await api.list("/operator/members", "members"),
    teams: await api.list("/auth/teams", "teams"),
  };
}

function listColumns({ members, teams }: All, now: number): readonly TableColumn<OperatorManagementKey>[] {
  const names = new Map(teams.map(({ teamId, name }) => [teamId, name]));
  const emails = new Map(members.map(({ memberId, email }) => [memberId, email]));
  const isExpired = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= now;
  return [
    { title: "NAME", cell: ({ name }) => name, charsMin: 12 },
    { title: "ID", cell: ({ apiKeyId }) => apiKeyId, kind: "id" },
    { title: "KEY", cell: ({ redactedApiKey }) => redactedApiKey, leftOut: 1 },
    {
      title: "TEAM",
      cell: ({ scopeId }) => (scopeId === undefined ? "all" : (names.get(scopeId) ?? scopeId)),
      charsMin: 8,
    },
    { title: "MEMBER", cell: ({ ownerUserId }) => emails.get(ownerUserId) ?? "-", charsMin: 8, leftOut: 3 },
    { title: "CREATED", cell: ({ createTime }) => formatAge(createTime, now), leftOut: 2 },
    { title: "LAST USED", cell: ({ lastUseTime }) => formatLastUse(lastUseTime, now) },
    { title: "STATE", cell: ({ expireTime }) => (isExpired(expireTime) ? "expired" : "active") },
  ];
}
