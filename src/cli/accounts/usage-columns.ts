/** Formats a usage report as a table, as CSV and as JSON. Money is decimal text with all digits: a float would round it. */
import type { OperatorUsage } from "../../http/management/operator/books.js";
import { textCell } from "../../core/export/csv.js";
import type { TableColumn } from "../table.js";

type UsageRow = OperatorUsage["rows"][number];
type UsageSums = OperatorUsage["total"];

export type GroupingName = "day" | "hour" | "key" | "model" | "team" | "tag" | "user";

/** A report and the options that it was requested with. */
export interface RequestedReport extends OperatorUsage {
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
export function toTable(
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
export function toCsv(report: RequestedReport): readonly [header: readonly string[], lines: Lines] {
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

export function toJson(report: RequestedReport): object {
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
