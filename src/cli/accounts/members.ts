/** `hearth members`: adds, lists, changes and removes members, who manage the server or a team. */
import { Option, type Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import type { MemberChange } from "../../accounts/members/members.js";
import { roles, type Member } from "../../accounts/principals/member.js";
import type { Team } from "../../accounts/principals/team.js";
import { ago } from "../duration.js";
import { formatJson, formatTable } from "../table.js";
import { addSignInLinkCommands } from "./sign-in-links.js";
import {
  reportInvalidValues,
  shortId,
  forEachReference,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface MemberOptions {
  readonly email?: string;
  readonly name?: string;
  readonly role?: Member["role"];
  readonly json?: true;
}

/** Adds `members` and its subcommands. */
export function addMembersCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
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
      const [all, teams] = await using(async (accounts) => [
        await accounts.members.list(),
        await accounts.teams.list(accounts.actor),
      ]);
      io.out.write(json === true ? formatJson(all.map(memberToJson)) : toTable(all, teams, io.clock.now()));
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
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await accounts.members.resolve(reference);
        await accounts.members.remove(id, accounts.actor);
        done.push(id);
        if (json !== true) io.out.write(`${id}\n`);
      };
      await using((accounts) => forEachReference(references, each(accounts))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreateCommand(members: Command, using: UsingAccounts, io: AccountsIo): void {
  withMemberOptions(members.command("add"))
    .description("add a member")
    .argument("<email>", "e-mail of the member; must be unique")
    .option("--team <team>", "ID or name of the team that they manage (default: the whole server)")
    .action(
      async (email: string, { team, ...options }: MemberOptions & { team?: string }, command: Command) => {
        const add = async ({ members, teams, actor }: OpenAccounts) => {
          const teamId = team === undefined ? null : (await teams.resolve(team)).id;
          return members.create({ ...toChange(options), email, teamId }, actor);
        };
        printMember(
          await using((accounts) => reportInvalidValues(command, () => add(accounts))),
          options,
          io,
        );
      },
    );
}

function addUpdateCommand(members: Command, using: UsingAccounts, io: AccountsIo): void {
  withMemberOptions(members.command("update"))
    .description("change a member; omitted options keep their values")
    .argument("<member>", "ID or e-mail")
    .option("--email <email>", "new e-mail")
    .action(async (reference: string, options: MemberOptions, command: Command) => {
      const change = toChange(options);
      if (Object.keys(change).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const update = async ({ members, actor }: OpenAccounts) =>
        members.update((await members.resolve(reference)).id, change, actor);
      printMember(
        await using((accounts) => reportInvalidValues(command, () => update(accounts))),
        options,
        io,
      );
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
function toChange({ email, name, role }: MemberOptions): MemberChange {
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

function printMember(member: Member, { json }: MemberOptions, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(memberToJson(member)) : `${member.id}\n`);
}

/** The fields of the management API. */
function memberToJson({ id, teamId, email, givenName, familyName, role, createTime }: Member) {
  return {
    memberId: id,
    ...(teamId === null ? {} : { teamId }),
    email,
    givenName,
    familyName,
    role,
    createTime: new Date(createTime).toISOString(),
  };
}

function toTable(all: readonly Member[], teams: readonly Team[], now: number): string {
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const rows = all.map(({ id, teamId, email, givenName, familyName, role, createTime }) => [
    email,
    `${givenName} ${familyName}`.trim() || "-",
    shortId(id),
    role,
    teamId === null ? "all" : (names.get(teamId) ?? teamId),
    ago(now - createTime),
  ]);
  return formatTable(["EMAIL", "NAME", "ID", "ROLE", "TEAM", "CREATED"], rows);
}
