/** Converts usage rows to time series: one series for each group, with one point for each time unit. */
import { ticksToUsd } from "../../../core/money.js";
import { toMonth, monthStart } from "../../../accounts/money/spending.js";
import { forEachInSteps, mapInSteps } from "../../../core/report/steps.js";
import { dayMs, hourMs, type UsageRow } from "../../../accounts/money/usage-report.js";

export type TimeUnit = "hour" | "day" | "month" | "none";

export const valueNames = [
  "usd",
  "requests",
  "tokens",
  "promptTokens",
  "cachedTokens",
  "imageTokens",
  "completionTokens",
  "reasoningTokens",
  "images",
] as const;

type ValueName = (typeof valueNames)[number];

export interface Series {
  readonly group: readonly string[];
  readonly labels: readonly string[];
  /** Total cost; series are sorted by it. */
  readonly costTicks: bigint;
  /** Values by the start of the time unit. */
  readonly points: ReadonlyMap<number, readonly number[]>;
}

/**
 * Returns the start of each unit that overlaps the time range.
 * @param max at most `max + 1` starts are returned.
 */
export function unitStarts(unit: TimeUnit, from: number, to: number, max: number): readonly number[] {
  const starts = [findStart(unit, from, from)];
  for (let at = after(unit, starts[0] ?? from); unit !== "none" && at < to; at = after(unit, at)) {
    starts.push(at);
    if (starts.length > max) break;
  }
  return starts;
}

/** Series that are made before other work gets its turn; one has up to 10,000 points. */
export const seriesAtOnce = 1;

/** Returns one series for each group, highest cost first, the one without a group last. @param from start of the only unit when `unit` is "none". */
export async function toSeries(
  rows: readonly UsageRow[],
  unit: TimeUnit,
  from: number,
  names: readonly ValueName[],
): Promise<readonly Series[]> {
  const all = new Map<string, UsageRow[]>();
  await forEachInSteps(rows, (row) => {
    const name = JSON.stringify(row.group.map(({ id }) => id));
    const before = all.get(name);
    if (before === undefined) all.set(name, [row]);
    else before.push(row);
  });
  const series = await mapInSteps(
    [...all.values()],
    (group) => oneSeries(group, unit, from, names),
    seriesAtOnce,
  );
  return series.sort(bySize);
}

function bySize(a: Series, b: Series): number {
  const isLast = Number(a.group.length === 0) - Number(b.group.length === 0);
  if (isLast !== 0 || a.costTicks === b.costTicks) return isLast;
  return a.costTicks > b.costTicks ? -1 : 1;
}

function oneSeries(
  rows: readonly UsageRow[],
  unit: TimeUnit,
  from: number,
  names: readonly ValueName[],
): Series {
  const sums = new Map<number, bigint[]>();
  for (const row of rows) {
    const start = findStart(unit, row.time ?? from, from);
    const before = sums.get(start) ?? names.map(() => 0n);
    sums.set(
      start,
      names.map((name, at) => (before[at] ?? 0n) + readAmount(row, name)),
    );
  }
  const displayed = (name: ValueName, amount: bigint): number =>
    name === "usd" ? Number(ticksToUsd(amount)) : Number(amount);
  const group = rows[0]?.group ?? [];
  return {
    group: group.map(({ id }) => id),
    labels: group.map(({ id, name }) => name ?? id),
    costTicks: rows.reduce((sum, { costTicks }) => sum + costTicks, 0n),
    points: new Map(
      [...sums].map(([start, amounts]) => [
        start,
        names.map((name, at) => displayed(name, amounts[at] ?? 0n)),
      ]),
    ),
  };
}

/** Returns an amount; `usd` is in ticks. */
function readAmount({ runs, usage, costTicks }: UsageRow, name: ValueName): bigint {
  if (name === "usd") return costTicks;
  if (name === "requests") return BigInt(runs);
  if (name === "tokens") return BigInt(usage.promptTokens + usage.completionTokens + usage.reasoningTokens);
  return BigInt(usage[name] ?? 0);
}

function findStart(unit: TimeUnit, time: number, from: number): number {
  if (unit === "none") return from;
  if (unit === "month") return monthStart(toMonth(time));
  return time - (time % (unit === "day" ? dayMs : hourMs));
}

function after(unit: TimeUnit, start: number): number {
  if (unit === "month") return monthStart(toMonth(start + 31 * dayMs));
  return start + (unit === "day" ? dayMs : hourMs);
}
