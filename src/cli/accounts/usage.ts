/** `hearth usage`: reports usage and cost by time, key, model, team, tag or end user, optionally with hosted prices. Times are UTC. */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { OperatorUsage } from "../../http/management/operator/books.js";
import { toMonth, monthStart } from "../../accounts/money/spending.js";
import { dayMs, hourMs } from "../../accounts/money/usage-report.js";
import { formatCsv } from "../../core/export/csv.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { toCsv, toJson, toTable, type GroupingName, type RequestedReport } from "./usage-columns.js";
import { reportInvalidValues, type AccountsIo, type UsingOperator } from "../command-helpers.js";

interface Options extends ListingOptions {
  readonly by: GroupingName;
  readonly from?: Span;
  readonly to?: Span;
  readonly team?: string;
  readonly tag?: string;
  readonly user?: string;
  readonly csv?: true;
  readonly as?: "hosted";
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

const groupings: Readonly<Record<Options["by"], object>> = {
  day: { unit: "day", by: [] },
  hour: { unit: "hour", by: [] },
  key: { unit: null, by: ["key"] },
  model: { unit: null, by: ["model"] },
  team: { unit: null, by: ["team"] },
  tag: { unit: null, by: ["tag"] },
  user: { unit: null, by: ["user"] },
};

/** Adds the command. */
export function addUsageCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const { clock, out, data = out } = io;
  withListing(program.command("usage"), "print one JSON object")
    .description("report usage and cost; times are UTC")
    .addOption(new Option("--by <what>", "one row for each").choices(Object.keys(groupings)).default("day"))
    .option("--from <date>", "first day or hour (default: the first of the month)", spanArgument)
    .option("--to <date>", "last day or hour, inclusive (default: now)", spanArgument)
    .option("--team <team>", "only this team, by ID or name")
    .addOption(new Option("--tag <tag>", "only requests with this tag").conflicts("user"))
    .option("--user <user>", "only requests for this end user")
    .addOption(new Option("--csv", "print comma-separated values").conflicts("json"))
    .addOption(new Option("--as <prices>", "also report the cost at these prices").choices(["hosted"]))
    .action(async (options: Options, command: Command) => {
      const requested = await reportInvalidValues(command, () => createReport(options, using, clock.now()));
      if (options.csv === true) return void data.write(formatCsv(...toCsv(requested)));
      const [columns, items, notes] = toTable(requested);
      printListing(io, options, {
        items,
        columns,
        notes: items.length === 0 ? [] : notes,
        json: () => toJson(requested),
        empty: 'No usage in this time. Send a request: hearth run MODEL "Hello"',
      });
    });
}

async function createReport(options: Options, using: UsingOperator, now: number): Promise<RequestedReport> {
  const { by, team } = options;
  const from = options.from?.begin ?? monthStart(toMonth(now));
  const to = options.to?.end ?? now - (now % hourMs) + hourMs;
  const hosted = options.as === "hosted";
  const report = await using(async (api) => {
    const teamId = team === undefined ? null : (await api.findTeam(team)).teamId;
    const query = { ...groupings[by], from, to, teamId, label: toLabel(options), hosted };
    return api.query<OperatorUsage>("/operator/usage", query);
  });
  return { ...report, by, from, to, hosted };
}

function toLabel({ tag, user }: Options): object | null {
  if (tag !== undefined) return { kind: "tag", label: tag };
  return user === undefined ? null : { kind: "user", label: user };
}

/** Parses a day such as 2026-11-21 or an hour such as 2026-11-21T15. */
function spanArgument(written: string): Span {
  const [, day = "", hour] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d))?$/.exec(written) ?? [];
  const begin = Date.parse(`${day}T${hour ?? "00"}:00:00.000Z`);
  const isReal = !Number.isNaN(begin) && new Date(begin).toISOString().startsWith(`${day}T${hour ?? "00"}`);
  if (!isReal)
    throw new InvalidArgumentError("It must be like 2026-11-21, or 2026-11-21T15 for an hour; UTC.");
  return { begin, end: begin + (hour === undefined ? dayMs : hourMs) };
}
