/** `hearth members`: adds, lists, changes and removes members, who manage the server or a team. */
import { Option, type Command } from "commander";
import { printMade, type MadeOptions } from "../made.js";
import { roles } from "../../accounts/principals/member.js";
import type { WireMember } from "../../http/server/present-member.js";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import type { OperatorClient } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  formatAge,
  reportInvalidValues,
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
  withListing(members.command("ls").alias("list"))
    .description("list the members")
    .action(async (options: ListingOptions) => {
      const [all, teams] = await using(async (api) => [
        (await api.get<{ members: readonly WireMember[] }>("/operator/members")).members,
        await api.list<WireTeam>("/auth/teams", "teams"),
      ]);
      printListing(io, options, {
        items: all,
        columns: listColumns(teams, io.clock.now()),
        empty: "No members. Add one: hearth members add EMAIL --role owner",
      });
    });
  addUpdateCommand(members, using, io);
  addSignInLinkCommands(members, using, io);
  members
    .command("rm")
    .alias("delete")
    .description("remove members; their management keys and sessions become invalid")
    .argument("<member...>", "ID, its beginning, or e-mail")
    .option("--json", "print one JSON array")
    .action(async (references: string[], { json }: { json?: true }) => {
      const done: string[] = [];
      const each = (api: OperatorClient) => async (reference: string) => {
        const { memberId, email } = await api.findMember(reference);
        await api.request("DELETE", `/auth/members/${memberId}`);
        done.push(memberId);
        if (json !== true) io.out.write(`removed the member ${email}, ID ${memberId}\n`);
      };
      await using((api) => forEachReference(references, each(api))).finally(() => {
        if (json === true) io.out.write(formatJson(done));
      });
    });
}

function addCreateCommand(members: Command, using: UsingOperator, io: AccountsIo): void {
  withMemberOptions(members.command("add").alias("create"))
    .description("add a member")
    .argument("<email>", "e-mail of the member; must be unique")
    .option("--team <team>", "ID or name of the team that they manage (default: the whole server)")
    .action(
      async (
        email: string,
        { team, ...options }: MemberOptions & MadeOptions & { team?: string },
        command: Command,
      ) => {
        const add = async (api: OperatorClient): Promise<WireMember> => {
          const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
          return api.request("POST", "/operator/members", { ...toChange(options), email, teamId });
        };
        const added = await using((api) => reportInvalidValues(command, () => add(api)));
        const next = `Let them sign in: hearth members sign-in-link ${added.email}`;
        const text = `added the member ${describe(added)}\n${next}\n`;
        printMade(io.out, options, { value: added, text, bare: added.memberId });
      },
    );
}

function addUpdateCommand(members: Command, using: UsingOperator, io: AccountsIo): void {
  withMemberOptions(members.command("update"))
    .description("change a member; omitted options keep their values")
    .argument("<member>", "ID, its beginning, or e-mail")
    .option("--email <email>", "new e-mail")
    .action(async (reference: string, options: MemberOptions, command: Command) => {
      const member = toChange(options);
      if (Object.keys(member).length === 0) command.error("error: no change was given", { exitCode: 2 });
      const update = async (api: OperatorClient): Promise<WireMember> => {
        const { memberId } = await api.findMember(reference);
        const fieldMask = Object.keys(member).join();
        return api.request("PUT", `/auth/members/${memberId}`, { member, fieldMask });
      };
      const changed = await using((api) => reportInvalidValues(command, () => update(api)));
      printMember(changed, `changed the member ${describe(changed)}`, options, io);
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

function describe({ email, role, memberId }: WireMember): string {
  return `${email} (${role}), ID ${memberId}`;
}

function printMember(member: WireMember, text: string, { json }: MemberOptions, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(member) : `${text}\n`);
}

function listColumns(teams: readonly WireTeam[], now: number): readonly TableColumn<WireMember>[] {
  const names = new Map(teams.map(({ teamId, name }) => [teamId, name]));
  return [
    { title: "EMAIL", cell: ({ email }) => email, charsMin: 16 },
    {
      title: "NAME",
      cell: ({ givenName, familyName }) => `${givenName} ${familyName}`.trim() || "-",
      charsMin: 8,
      leftOut: 1,
    },
    { title: "ID", cell: ({ memberId }) => memberId, kind: "id" },
    { title: "ROLE", cell: ({ role }) => role },
    {
      title: "TEAM",
      cell: ({ teamId }) => (teamId === undefined ? "all" : (names.get(teamId) ?? teamId)),
      charsMin: 8,
    },
    { title: "CREATED", cell: ({ createTime }) => formatAge(createTime, now), leftOut: 2 },
  ];
}

/** Adds both commands to `members`. */
function addSignInLinkCommands(members: Command, using: UsingOperator, { out }: AccountsIo): void {
  const print = async (request: object, options: MadeOptions): Promise<void> => {
    const { link } = await using((api) =>
      api.request<{ link: string }>("POST", "/operator/sign-in-links", request),
    );
    const text = `${link}\n\nIt works once, within 24 hours.\n`;
    printMade(out, options, { value: { link }, text, bare: link });
  };
  members
    .command("sign-in-link")
    .description("print a link with which a member signs in to the console once")
    .argument("[member]", "ID or e-mail; without it, the first owner of the server")
    .option("--json", "print one JSON object")
    .action((member: string | undefined, options: MadeOptions) => print({ member }, options));
  members
    .command("reset")
    .description("remove the password of a member, end their sessions and print a sign-in link")
    .argument("<member>", "ID or e-mail")
    .option("--json", "print one JSON object")
    .action((member: string, options: MadeOptions) => print({ member, reset: true }, options));
}
