/** `hearth members`: adds, lists, changes and removes members, who manage the server or a team. */
import { Option, type Command } from "commander";
import { roles } from "../../accounts/principals/member.js";
import type { WireMember } from "../../http/server/present-member.js";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import type { OperatorClient } from "../operator.js";
import { formatJson, formatTable } from "../table.js";
import { addSignInLinkCommands } from "./sign-in-links.js";
import {
  formatAge,
  reportInvalidValues,
  shortId,
  forEachReference,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface MemberOptions {
  readonly email?: string;
  readonly name?: string;
  readonly role?: WireMember["role"];
  readonly json?: true;
}

/** Adds `members` and its subcommands. */
export function addMembersCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const members = program
    .command("members")
    .description(
      "add, list, change and remove members, who manage the server or a team with their own management keys",
    );
  addCreateCommand(members, using, io);
  members
    .command("ls")
    .alias("list")
    .description("list the members")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const [all, teams] = await using(async (api) => [
        (await api.get<{ members: readonly WireMember[] }>("/operator/members")).members,
        await api.list<WireTeam>("/auth/teams", "teams"),
      ]);
      io.out.write(json === true ? formatJson(all) : toTable(all, teams, io.clock.now()));
    });
  addUpdateCommand(members, using, io);
  addSignInLinkCommands(members, using, io);
  members
    .command("rm")
    .description("remove members; their management keys and sessions become invalid")
    .argument("<member...>", "ID or e-mail")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (api: OperatorClient) => async (reference: string) => {
        const { memberId } = await api.findMember(reference);
        await api.request("DELETE", `/auth/members/${memberId}`);
        done.push(memberId);
        if (json !== true) io.out.write(`${memberId}\n`);
      };
      await using((api) => forEachReference(references, each(api))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreateCommand(members: Command, using: UsingOperator, io: AccountsIo): void {
  withMemberOptions(members.command("add"))
    .description("add a member")
    .argument("<email>", "e-mail of the member; must be unique")
    .option("--team <team>", "ID or name of the team that they manage (default: the whole server)")
    .action(
      async (email: string, { team, ...options }: MemberOptions & { team?: string }, command: Command) => {
        const add = async (api: OperatorClient): Promise<WireMember> => {
          const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
          return api.request("POST", "/operator/members", { ...toChange(options), email, teamId });
        };
        printMember(await using((api) => reportInvalidValues(command, () => add(api))), options, io);
      },
    );
}

function addUpdateCommand(members: Command, using: UsingOperator, io: AccountsIo): void {
  withMemberOptions(members.command("update"))
    .description("change a member; omitted options keep their values")
    .argument("<member>", "ID or e-mail")
    .option("--email <email>", "new e-mail")
    .action(async (reference: string, options: MemberOptions, command: Command) => {
      const member = toChange(options);
      if (Object.keys(member).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const update = async (api: OperatorClient): Promise<WireMember> => {
        const { memberId } = await api.findMember(reference);
        const fieldMask = Object.keys(member).join();
        return api.request("PUT", `/auth/members/${memberId}`, { member, fieldMask });
      };
      printMember(await using((api) => reportInvalidValues(command, () => update(api))), options, io);
    });
}

function withMemberOptions(command: Command): Command {
  return command
    .option("--name <name>", 'given name and family name, such as "Ada Lovelace"')
    .addOption(
      new Option(
        "--role <role>",
        "owner: everything; admin: manages keys; member: reads, and manages own keys (default for a new member: member)",
      ).choices(roles),
    )
    .option("--json", "print one JSON object");
}

/** The last word of a name is the family name. */
function toChange({ email, name, role }: MemberOptions): object {
  const words = name?.trim().split(/\s+/);
  return {
    ...(email === undefined ? {} : { email }),
    ...(words === undefined
      ? {}
      : {
          givenName: words.slice(0, Math.max(1, words.length - 1)).join(" "),
          familyName: words.slice(1).at(-1) ?? "",
        }),
    ...(role === undefined ? {} : { role }),
  };
}

function printMember(member: WireMember, { json }: MemberOptions, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(member) : `${member.memberId}\n`);
}

function toTable(all: readonly WireMember[], teams: readonly WireTeam[], now: number): string {
  const names = new Map(teams.map(({ teamId, name }) => [teamId, name]));
  const rows = all.map(({ memberId, teamId, email, givenName, familyName, role, createTime }) => [
    email,
    `${givenName} ${familyName}`.trim() || "-",
    shortId(memberId),
    role,
    teamId === undefined ? "all" : (names.get(teamId) ?? teamId),
    formatAge(createTime, now),
  ]);
  return formatTable(["EMAIL", "NAME", "ID", "ROLE", "TEAM", "CREATED"], rows);
}
