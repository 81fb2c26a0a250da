/** `hearth members`: adds, lists, changes and removes those who manage. */
import { Option, type Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import type { MemberChange } from "../../accounts/members/members.js";
import { roles, type Member } from "../../accounts/members/member.js";
import type { Team } from "../../accounts/teams/team.js";
import { ago } from "./duration.js";
import { formatJson, formatTable } from "../table.js";
import { asUsage, shortId, toEach, type AccountsIo, type UsingAccounts } from "./open-accounts.js";

interface MemberOptions {
  readonly email?: string;
  readonly name?: string;
  readonly role?: Member["role"];
  readonly json?: true;
}

/** Adds `members` and what it can do. */
export function addMembersCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const members = program
    .command("members")
    .description("add, list, change and remove those who manage, each with management keys of their own");
  addAdd(members, using, io);
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
  addUpdate(members, using, io);
  members
    .command("rm")
    .description("remove members; their management keys open nothing from then on")
    .argument("<member...>", "ID or e-mail")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (accounts: OpenAccounts) => async (reference: string) => {
        const { id } = await accounts.members.meant(reference);
        await accounts.members.remove(id, accounts.actor);
        done.push(id);
        if (json !== true) io.out.write(`${id}\n`);
      };
      await using((accounts) => toEach(references, each(accounts))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addAdd(members: Command, using: UsingAccounts, io: AccountsIo): void {
  withMemberOptions(members.command("add"))
    .description("add a member")
    .argument("<email>", "their e-mail; no two members have the same")
    .option("--team <team>", "ID or name of the one team that they belong to (default: the whole server)")
    .action(
      async (email: string, { team, ...options }: MemberOptions & { team?: string }, command: Command) => {
        const add = async ({ members, teams, actor }: OpenAccounts) => {
          const teamId = team === undefined ? null : (await teams.meant(team)).id;
          return members.create({ ...changeOf(options), email, teamId }, actor);
        };
        told(await using((accounts) => asUsage(command, () => add(accounts))), options, io);
      },
    );
}

function addUpdate(members: Command, using: UsingAccounts, io: AccountsIo): void {
  withMemberOptions(members.command("update"))
    .description("change a member; what is not given stays")
    .argument("<member>", "ID or e-mail")
    .option("--email <email>", "their e-mail from now on")
    .action(async (reference: string, options: MemberOptions, command: Command) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        command.error("error: nothing to change was given", { exitCode: 2 });
      const update = async ({ members, actor }: OpenAccounts) =>
        members.update((await members.meant(reference)).id, change, actor);
      told(await using((accounts) => asUsage(command, () => update(accounts))), options, io);
    });
}

function withMemberOptions(command: Command): Command {
  return command
    .option("--name <name>", 'given name and family name, such as "Ada Lovelace"')
    .addOption(
      new Option(
        "--role <role>",
        "owner: all; admin: keys; member: reads (default, when added: member)",
      ).choices(roles),
    )
    .option("--json", "print one JSON object");
}

/** The last word of a name is the family's. */
function changeOf({ email, name, role }: MemberOptions): MemberChange {
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

function told(member: Member, { json }: MemberOptions, { out }: AccountsIo): void {
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
