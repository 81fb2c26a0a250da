/** `hearth usage`: reports usage and cost by time, key, model, team, tag or end user, optionally with hosted prices. Times are UTC. */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { OperatorUsage } from "../../http/management/operator/books.js";
import { toMonth, monthStart } from "../../accounts/money/spending.js";
import { dayMs, hourMs } from "../../accounts/money/usage-report.js";
import { formatCsv, textCell } from "../../core/export/csv.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { reportInvalidValues, type AccountsIo, type UsingOperator } from "../command-helpers.js";
import type { TableColumn } from "../table.js";

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

// Formats a usage report as a table, as CSV and as JSON. Money is decimal text with all digits: a float would round it.

type UsageRow = OperatorUsage["rows"][number];
type UsageSums = OperatorUsage["total"];

type GroupingName = "day" | "hour" | "key" | "model" | "team" | "tag" | "user";

/** A report and the options that it was requested with. */
interface RequestedReport extends OperatorUsage {
  readonly by: GroupingName;
  readonly from: number;
  readonly to: number;
  /** Whether the report contains the cost at hosted prices. */
  readonly hosted: boolean;
}

type Lines = readonly (readonly string[])[];

type Line = Lines[number];

/** What becomes of columns where the table is too wide; the first ones have names, the others are numbers. */
const layout: Readonly<Record<string, Partial<TableColumn<Line>>>> = {
  NAME: { charsMin: 12 },
  KEY: { kind: "id", leftOut: 4 },
  TEAM: { kind: "id", leftOut: 4 },
  DAY: {},
  HOUR: {},
  MODEL: { charsMin: 12 },
  TAG: { charsMin: 12 },
  USER: { charsMin: 12 },
  IMAGES: { kind: "number", leftOut: 1 },
  REASONING: { kind: "number", leftOut: 2 },
  CACHED: { kind: "number", leftOut: 3 },
  "COST USD": { kind: "number", charsMin: 12 },
  "HOSTED USD": { kind: "number", charsMin: 12 },
};

/** Returns the columns, the lines with the total as the last, and notes for below the table. No lines where nothing was used. */
function toTable(
  report: RequestedReport,
): readonly [columns: readonly TableColumn<Line>[], lines: Lines, notes: readonly string[]] {
  const { by, rows, total, hosted } = report;
  const named = by === "key" || by === "team";
  const header = [
    ...(named ? ["NAME", by === "key" ? "KEY" : "TEAM"] : [by.toUpperCase()]),
    "RUNS",
    "PROMPT",
    "CACHED",
    "COMPLETION",
    "REASONING",
    "IMAGES",
    "COST USD",
    ...(hosted ? ["HOSTED USD"] : []),
  ];
  const line = (label: readonly string[], sums: UsageSums): readonly string[] => [
    ...label,
    ...listCounts(sums).map(String),
    sums.costUsd,
    ...(hosted ? [sums.hostedUsd ?? "-"] : []),
  ];
  const lines = rows.map((row) => line(listLabels(report, row), row.sums));
  const columns = header.map((title, at) => {
    return {
      title,
      cell: (cells: Line) => cells[at] ?? "",
      ...(layout[title] ?? { kind: "number" as const }),
    };
  });
  return [
    columns,
    total.runs === 0 ? [] : [...lines, line(named ? ["total", ""] : ["total"], total)],
    [...(by === "tag" || by === "user" ? [overlaps(by)] : []), ...(hosted ? [coverage(total)] : [])],
  ];
}

/** Returns the header and the lines without a total. */
function toCsv(report: RequestedReport): readonly [header: readonly string[], lines: Lines] {
  const { by, rows, hosted } = report;
  const label = by === "key" || by === "team" ? [`${by}_name`, `${by}_id`] : [by];
  const header = [
    ...label,
    "runs",
    "prompt_tokens",
    "cached_tokens",
    "image_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "images",
    "cost_usd",
    ...(hosted ? ["hosted_usd", "hosted_runs", "hosted_tokens"] : []),
  ];
  const lines = rows.map((row) => [
    ...listLabels(report, row).map(textCell),
    ...Object.values(sumsToJson(row.sums, hosted)).map((value) => String(value ?? "")),
  ]);
  return [header, lines];
}

function toJson(report: RequestedReport): object {
  const { by, from, to, rows, total, hosted } = report;
  return {
    by,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    rows: rows.map((row) => ({ ...listNames(report, row), ...sumsToJson(row.sums, hosted) })),
    total: sumsToJson(total, hosted),
  };
}

function sumsToJson({ hostedUsd, hostedRuns, hostedTokens, ...sums }: UsageSums, isHosted: boolean) {
  return isHosted ? { ...sums, hostedUsd, hostedRuns, hostedTokens } : sums;
}

function listNames({ by }: RequestedReport, row: UsageRow): object {
  const [group] = row.group;
  if (group === undefined) return { [by]: formatTime(by, row.time ?? 0) };
  if (by !== "key" && by !== "team") return { [by]: group.id };
  return { [`${by}Id`]: group.id, [`${by}Name`]: group.name };
}

function listLabels({ by }: RequestedReport, row: UsageRow): readonly string[] {
  const [group] = row.group;
  if (group === undefined) return [formatTime(by, row.time ?? 0)];
  return by === "key" || by === "team" ? [group.name ?? "", group.id] : [group.id];
}

function formatTime(by: RequestedReport["by"], time: number): string {
  const iso = new Date(time).toISOString();
  return by === "day" ? iso.slice(0, 10) : `${iso.slice(0, 16)}Z`;
}

function listCounts(sums: UsageSums): readonly number[] {
  return [
    sums.runs,
    sums.promptTokens,
    sums.cachedTokens,
    sums.completionTokens,
    sums.reasoningTokens,
    sums.images,
  ];
}

function overlaps(by: "tag" | "user"): string {
  const each = by === "tag" ? "A run counts for each of its tags. " : "";
  return `${each}The total counts every run once, also those without ${by === "tag" ? "tags" : "an end user"}.`;
}

function coverage(sums: UsageSums): string {
  const tokens = sums.promptTokens + sums.completionTokens + sums.reasoningTokens;
  return `Hosted prices cover ${sums.hostedRuns} of ${sums.runs} runs, ${sums.hostedTokens} of ${tokens} tokens.`;
}
