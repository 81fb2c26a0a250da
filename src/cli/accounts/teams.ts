/** `hearth teams`: creates, lists, renames, blocks and unblocks teams, and limits what their keys may do. */
import type { Command } from "commander";
import { printMade, type MadeOptions } from "../made.js";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import type { OperatorClient } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  collect,
  formatAge,
  quoteWord,
  reportInvalidValues,
  type AccountsIo,
  type UsingOperator,
  limitArgument,
} from "../command-helpers.js";
import { everyModel } from "../../accounts/principals/team-limit.js";
import type { WireTeamLimits } from "../../http/management/teams/limits.js";

interface Json {
  readonly json?: true;
}

/** Adds `teams` and its subcommands. */
export function addTeamsCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const teams = program.command("teams").description("create, list, rename and block teams");
  teams
    .command("create")
    .alias("add")
    .description("create a team")
    .argument("<name>", "name of the team")
    .option("--unmetered", "allow requests without credits")
    .option("--json", "print one JSON object")
    .action(async (name: string, options: MadeOptions & { unmetered?: true }, command: Command) => {
      const billing = options.unmetered === true ? "unmetered" : "prepaid";
      const create = () =>
        using((api) => api.request<WireTeam>("POST", "/operator/teams", { name, billing }));
      const team = await reportInvalidValues(command, create);
      const text = `created the team ${describe(team)}\n${describeNext(team)}\n`;
      printMade(io.out, options, { value: team, text, bare: team.teamId });
    });
  withListing(teams.command("ls").alias("list"))
    .description("list the teams")
    .action(async (options: ListingOptions) => {
      const all = await using((api) => api.list<WireTeam>("/auth/teams", "teams"));
      printListing(io, options, {
        items: all,
        columns: listColumns(io.clock.now()),
        empty: "No teams yet. Make one: hearth teams create NAME",
      });
    });
  addChangeCommand(
    teams
      .command("rename")
      .argument("<team>", "ID, its beginning, or name")
      .argument("<name>", "new name of the team"),
    {
      description: "rename a team",
      done: "renamed",
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
  addChangeCommand(teams.command("block").argument("<team>", "ID, its beginning, or name"), {
    description: "reject all keys of a team",
    done: "blocked",
    change: () => ({ blocked: true }),
    using,
    io,
  });
  addChangeCommand(teams.command("unblock").argument("<team>", "ID, its beginning, or name"), {
    description: "accept the keys of a blocked team again",
    done: "unblocked",
    change: () => ({ blocked: false }),
    using,
    io,
  });
  addChangeCommand(teams.command("keep-bodies").argument("<team>", "ID, its beginning, or name"), {
    description: "keep what requests and answers have in the log of requests",
    done: "bodies are kept from now on of",
    change: () => ({ keepBodies: true }),
    using,
    io,
  });
  addChangeCommand(teams.command("forget-bodies").argument("<team>", "ID, its beginning, or name"), {
    description: "keep what requests and answers have no longer, and delete what was kept",
    done: "bodies are no longer kept, and were deleted, of",
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
    .argument("<team>", "ID, its beginning, or name")
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
        const team = await reportInvalidValues(command, update);
        printTeam(team, `changed what keys may do of the team ${describe(team)}`, options, io);
      },
    );
}

interface ChangeCommand {
  readonly description: string;
  /** What has become of the team. */
  readonly done: string;
  /** @param value the second argument, if any. */
  readonly change: (value?: string) => object;
  readonly using: UsingOperator;
  readonly io: AccountsIo;
}

function addChangeCommand(command: Command, { description, done, change, using, io }: ChangeCommand): void {
  command
    .description(description)
    .option("--json", "print one JSON object")
    .action(async () => {
      const [reference = "", value] = command.args;
      const update = () => using((api) => updateTeam(api, reference, change(value)));
      const team = await reportInvalidValues(command, update);
      printTeam(team, `${done} the team ${describe(team)}`, command.opts<Json>(), io);
    });
}

async function updateTeam(api: OperatorClient, reference: string, team: object): Promise<WireTeam> {
  const { teamId } = await api.findTeam(reference);
  return api.request("PUT", `/auth/teams/${teamId}`, { team, fieldMask: Object.keys(team).join() });
}

function describe({ name, teamId }: WireTeam): string {
  return `"${name}", ID ${teamId}`;
}

function describeNext({ name, billing }: WireTeam): string {
  const team = quoteWord(name);
  const key = `Make a key for it: hearth keys create --team ${team} --name NAME`;
  return billing === "prepaid" ? `Give it credit: hearth credits add ${team} USD\n${key}` : key;
}

function printTeam(team: WireTeam, text: string, { json }: Json, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(team) : `${text}\n`);
}

function listColumns(now: number): readonly TableColumn<WireTeam>[] {
  return [
    { title: "NAME", cell: ({ name }) => name, charsMin: 16 },
    { title: "ID", cell: ({ teamId }) => teamId, kind: "id" },
    { title: "BILLING", cell: ({ billing }) => billing },
    { title: "CREATED", cell: ({ createTime }) => formatAge(createTime, now), leftOut: 1 },
    { title: "STATE", cell: ({ blocked }) => (blocked ? "blocked" : "active") },
  ];
}

interface Options extends ListingOptions {
  readonly model?: string;
  readonly qps?: number | "none";
  readonly qpm?: number | "none";
  readonly tpm?: number | "none";
}

/** Adds `teams limits`. */
function addTeamLimitsCommand(teams: Command, using: UsingOperator, io: AccountsIo): void {
  withListing(teams.command("limits"))
    .description(
      "show or change the rate limits of a team per model, or of each end user; changes take effect at the next request",
    )
    .argument("<team>", "ID or name")
    .option(
      "--model <id>",
      "this model; total: all models together; each-end-user: each end user (default: every model without limits of its own)",
    )
    .option("--qps <number>", "requests per second, or none", limitArgument)
    .option("--qpm <number>", "requests per minute, or none", limitArgument)
    .option("--tpm <number>", "tokens per minute, or none", limitArgument)
    .action(async (reference: string, options: Options, command: Command) => {
      const limits = toChange(options);
      const updateAndList = () =>
        using(async (api) => {
          const path = `/auth/teams/${(await api.findTeam(reference)).teamId}/limits`;
          const request = {
            model: options.model ?? everyModel,
            limits,
            fieldMask: Object.keys(limits).join(),
          };
          if (Object.keys(limits).length > 0) await api.request("PUT", path, request);
          return api.get<{ limits: readonly WireTeamLimits[] }>(path);
        });
      const { limits: all } = await reportInvalidValues(command, updateAndList);
      const shown = options.model === undefined ? all : all.filter(({ model }) => model === options.model);
      printListing(io, options, {
        items: shown,
        columns,
        json: () => shown.map(toJson),
        empty: `No limits. Set one: hearth teams limits ${reference} --qpm 60`,
      });
    });
}

function toChange({ qps, qpm, tpm }: Options): Readonly<Record<string, number | null>> {
  const given = Object.entries({ qps, qpm, tpm }).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(
    given.map(([name, limit]) => [name, limit === "none" ? null : limit]),
  ) as Readonly<Record<string, number | null>>;
}

function toJson({ model, qps, qpm, tpm }: WireTeamLimits) {
  return { model, qps: qps ?? null, qpm: qpm ?? null, tpm: tpm === undefined ? null : Number(tpm) };
}

const limitText = (limit: number | string | undefined): string =>
  limit === undefined ? "none" : String(limit);

const columns: readonly TableColumn<WireTeamLimits>[] = [
  { title: "MODEL", cell: ({ model }) => model, charsMin: 16 },
  { title: "QPS", cell: ({ qps }) => limitText(qps), kind: "number" },
  { title: "QPM", cell: ({ qpm }) => limitText(qpm), kind: "number" },
  { title: "TPM", cell: ({ tpm }) => limitText(tpm), kind: "number" },
];
