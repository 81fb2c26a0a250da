/** `hearth teams`: creates, lists, renames, blocks and unblocks teams, and limits what their keys may do. */
import type { Command } from "commander";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import type { OperatorClient } from "../operator.js";
import { addTeamLimitsCommand } from "./team-limits.js";
import { formatJson, formatTable } from "../table.js";
import {
  collect,
  formatAge,
  reportInvalidValues,
  shortId,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface Json {
  readonly json?: true;
}

/** Adds `teams` and its subcommands. */
export function addTeamsCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const teams = program.command("teams").description("create, list, rename and block teams");
  teams
    .command("create")
    .description("create a team")
    .argument("<name>", "name of the team")
    .option("--unmetered", "allow requests without credits")
    .option("--json", "print one JSON object")
    .action(async (name: string, options: Json & { unmetered?: true }, command: Command) => {
      const billing = options.unmetered === true ? "unmetered" : "prepaid";
      const create = () =>
        using((api) => api.request<WireTeam>("POST", "/operator/teams", { name, billing }));
      printTeam(await reportInvalidValues(command, create), options, io);
    });
  teams
    .command("ls")
    .alias("list")
    .description("list the teams")
    .option("--json", "print one JSON array")
    .action(async ({ json }: Json) => {
      const all = await using((api) => api.list<WireTeam>("/auth/teams", "teams"));
      io.out.write(json === true ? formatJson(all) : toTable(all, io.clock.now()));
    });
  addChangeCommand(
    teams.command("rename").argument("<team>", "ID or name").argument("<name>", "new name of the team"),
    {
      description: "rename a team",
      change: (name = "") => ({ name }),
      using,
      io,
    },
  );
  addSwitchCommands(teams, using, io);
  addAllowCommand(teams, using, io);
  addTeamLimitsCommand(teams, using, io);
}

/** Adds the commands that turn something on or off for a team. */
function addSwitchCommands(teams: Command, using: UsingOperator, io: AccountsIo): void {
  addChangeCommand(teams.command("block").argument("<team>", "ID or name"), {
    description: "reject all keys of a team",
    change: () => ({ blocked: true }),
    using,
    io,
  });
  addChangeCommand(teams.command("unblock").argument("<team>", "ID or name"), {
    description: "accept the keys of a blocked team again",
    change: () => ({ blocked: false }),
    using,
    io,
  });
  addChangeCommand(teams.command("keep-bodies").argument("<team>", "ID or name"), {
    description: "keep what requests and answers have in the log of requests",
    change: () => ({ keepBodies: true }),
    using,
    io,
  });
  addChangeCommand(teams.command("forget-bodies").argument("<team>", "ID or name"), {
    description: "keep what requests and answers have no longer, and delete what was kept",
    change: () => ({ keepBodies: false }),
    using,
    io,
  });
}

/** Adds `teams allow`. */
function addAllowCommand(teams: Command, using: UsingOperator, io: AccountsIo): void {
  teams
    .command("allow")
    .description("set what the keys of a team may do at most; it takes effect at the next request")
    .argument("<team>", "ID or name")
    .option(
      "--acl <acl>",
      "permission, such as api-key:endpoint:chat, api-key:model:NAME or api-key:group:NAME; may be repeated",
      collect,
    )
    .option("--all", "everything")
    .option("--json", "print one JSON object")
    .action(
      async (
        reference: string,
        { acl, all, ...options }: Json & { acl?: readonly string[]; all?: true },
        command: Command,
      ) => {
        if ((acl === undefined) === (all === undefined))
          command.error("error: give either --acl or --all", { exitCode: 2 });
        const update = () => using((api) => updateTeam(api, reference, { acls: acl ?? null }));
        printTeam(await reportInvalidValues(command, update), options, io);
      },
    );
}

interface ChangeCommand {
  readonly description: string;
  /** @param value the second argument, if any. */
  readonly change: (value?: string) => object;
  readonly using: UsingOperator;
  readonly io: AccountsIo;
}

function addChangeCommand(command: Command, { description, change, using, io }: ChangeCommand): void {
  command
    .description(description)
    .option("--json", "print one JSON object")
    .action(async () => {
      const [reference = "", value] = command.args;
      const update = () => using((api) => updateTeam(api, reference, change(value)));
      printTeam(await reportInvalidValues(command, update), command.opts<Json>(), io);
    });
}

async function updateTeam(api: OperatorClient, reference: string, team: object): Promise<WireTeam> {
  const { teamId } = await api.findTeam(reference);
  return api.request("PUT", `/auth/teams/${teamId}`, { team, fieldMask: Object.keys(team).join() });
}

function printTeam(team: WireTeam, { json }: Json, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(team) : `${team.teamId}\n`);
}

function toTable(all: readonly WireTeam[], now: number): string {
  const rows = all.map((team) => [
    team.name,
    shortId(team.teamId),
    team.billing,
    formatAge(team.createTime, now),
    team.blocked ? "blocked" : "active",
  ]);
  return formatTable(["NAME", "ID", "BILLING", "CREATED", "STATE"], rows);
}
