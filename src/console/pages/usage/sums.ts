/** Sums of usage, and which groups the chart shows. */
import type { ChartMeasure, UsagePoint, UsageSeries, ChartSums } from "../../api/usage.js";
import { countText } from "../../lib/format.js";
import { ticksText } from "../../lib/money.js";
import type { Grouping } from "./view.js";

/** A group with its sums over the whole time. */
export interface ChartGroup {
  /** Differs between groups. */
  readonly key: string;
  /** Differs between groups, too. */
  readonly label: string;
  readonly points: readonly UsagePoint[];
  readonly total: ChartSums;
}

export const noSums: ChartSums = {
  requests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  costTicks: 0n,
};

export function addSums(one: ChartSums, other: ChartSums): ChartSums {
  return {
    requests: one.requests + other.requests,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    costTicks: one.costTicks + other.costTicks,
  };
}

export function sumTokens({ promptTokens, completionTokens, reasoningTokens }: ChartSums): number {
  return promptTokens + completionTokens + reasoningTokens;
}

/** Returns tokens, or ticks. */
export function readAmount(measure: ChartMeasure, sums: ChartSums): bigint {
  return measure === "usd" ? sums.costTicks : BigInt(sumTokens(sums));
}

/** Returns `12,345` or `$0.0031`. */
export function amountText(measure: ChartMeasure, amount: bigint): string {
  return measure === "usd" ? ticksText(amount) : countText(Number(amount));
}

/** Returns which part of the prompt tokens was cached: `25 %`. */
export function cachedText({ cachedTokens, promptTokens }: ChartSums): string {
  return promptTokens === 0 ? "–" : `${Math.round((100 * cachedTokens) / promptTokens)} %`;
}

/** Returns the groups that were used, highest first, the sum of the others last. */
export function rankGroups(
  series: readonly UsageSeries[],
  grouping: Grouping,
  measure: ChartMeasure,
): readonly ChartGroup[] {
  // The titles of other columns.
  const labels = new Set(["Others", "All together", "Hour", "Day (UTC)", "Month (UTC)"]);
  const unique = (label: string, id: string): string => {
    const chosen = labels.has(label) ? `${label} (${id.slice(0, 13)})` : label;
    labels.add(chosen);
    return chosen;
  };
  const groups = series.map(({ id, label, points }) => ({
    key: id === null ? "others" : `= ${id}`,
    label: id === null ? "Others" : unique(grouping.toLabel({ id, label }), id),
    points,
    total: points.reduce<ChartSums>(addSums, noSums),
  }));
  return groups
    .filter(({ total }) => total.requests > 0)
    .toSorted((a, b) => order(a, b) || compare(readAmount(measure, b.total), readAmount(measure, a.total)));
}

/** Returns the highest groups, and the sum of the others as a further one where there are more. */
export function firstGroups(groups: readonly ChartGroup[], max: number): readonly ChartGroup[] {
  if (groups.length <= max) return groups;
  const others = groups.slice(max - 1);
  const points = (others[0]?.points ?? []).map(({ time }, at) => ({
    time,
    ...others.reduce<ChartSums>((sum, each) => addSums(sum, each.points[at] ?? noSums), noSums),
  }));
  const total = others.reduce<ChartSums>((sum, each) => addSums(sum, each.total), noSums);
  return [...groups.slice(0, max - 1), { key: "others", label: "Others", points, total }];
}

function order(a: ChartGroup, b: ChartGroup): number {
  return Number(a.key === "others") - Number(b.key === "others");
}

function compare(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? 1 : -1;
}
