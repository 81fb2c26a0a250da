/** Usage of a team over time. */
import type { WireUsage } from "../../http/management/billing/usage.js";
import { send } from "../lib/client.js";
import { numberToTicks } from "../lib/money.js";

export type UsageUnit = "hour" | "day" | "month";
export type ChartMeasure = "tokens" | "usd";

interface ChartQuery extends Times {
  readonly unit: UsageUnit;
  /** What the API calls the group, such as `apiKeyId`. */
  readonly groupBy: string;
  /** What groups are compared by. */
  readonly measure: ChartMeasure;
}

export interface ChartSums {
  readonly requests: number;
  readonly promptTokens: number;
  /** Part of the prompt tokens. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly costTicks: bigint;
}

export interface UsagePoint extends ChartSums {
  /** Start of the unit, in milliseconds since 1970. */
  readonly time: number;
}

export interface UsageSeries {
  /** null for the sum of the groups that are not among the highest. */
  readonly id: string | null;
  readonly label: string;
  /** One for each unit. */
  readonly points: readonly UsagePoint[];
}

/** Groups that are returned; the others are summed. */
const groupsMax = 20;

const counted = ["requests", "promptTokens", "cachedTokens", "completionTokens", "reasoningTokens"] as const;

const units = {
  hour: "TIME_UNIT_HOUR",
  day: "TIME_UNIT_DAY",
  month: "TIME_UNIT_MONTH",
  none: "TIME_UNIT_NONE",
} as const;

/** Returns the groups with the most usage, and the sum of the others. */
export async function loadUsage(
  teamId: string,
  { from, to, unit, groupBy, measure }: ChartQuery,
  signal: AbortSignal,
): Promise<readonly UsageSeries[]> {
  // The first value decides which groups are the highest.
  const names = measure === "usd" ? ["usd", ...counted] : ["tokens", "usd", ...counted];
  const answer = await sumUsage(teamId, { from, to }, { unit, names, groupBy, topMax: groupsMax }, signal);
  return answer.timeSeries.map(({ group, groupLabels, dataPoints }) => ({
    id: group[0] ?? null,
    label: groupLabels[0] ?? "",
    points: dataPoints.map(({ timestamp, values }) =>
      toPoint(timestamp, (name) => values[names.indexOf(name)] ?? 0),
    ),
  }));
}

/** Most keys whose spending is asked for at once. */
const spendingKeysMax = 1000;

/** Returns what keys have spent in a time, in ticks; a key that has spent nothing is left out. */
export async function getKeySpending(
  teamId: string,
  times: Times,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint>> {
  const asked = { unit: "none", names: ["usd"], groupBy: "apiKeyId", topMax: spendingKeysMax } as const;
  const { timeSeries } = await sumUsage(teamId, times, asked, signal);
  return new Map(
    timeSeries.map(({ group, dataPoints }) => [
      group[0] ?? "",
      numberToTicks(dataPoints.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)),
    ]),
  );
}

/** Milliseconds since 1970; whole hours. */
interface Times {
  readonly from: number;
  readonly to: number;
}

interface Sums {
  readonly unit: keyof typeof units;
  readonly names: readonly string[];
  readonly groupBy: string;
  readonly topMax: number;
}

function sumUsage(
  teamId: string,
  { from, to }: Times,
  { unit, names, groupBy, topMax }: Sums,
  signal: AbortSignal,
): Promise<WireUsage> {
  const analyticsRequest = {
    timeRange: { startTime: utcText(from), endTime: utcText(to), timezone: "UTC" },
    timeUnit: units[unit],
    values: names.map((name) => ({ name, aggregation: "AGGREGATION_SUM" })),
    groupBy: [groupBy],
    topMax,
  };
  return send("POST", `/v1/billing/teams/${teamId}/usage`, { analyticsRequest }, signal);
}

function toPoint(timestamp: string, value: (name: string) => number): UsagePoint {
  return {
    time: Date.parse(timestamp),
    requests: value("requests"),
    promptTokens: value("promptTokens"),
    cachedTokens: value("cachedTokens"),
    completionTokens: value("completionTokens"),
    reasoningTokens: value("reasoningTokens"),
    costTicks: numberToTicks(value("usd")),
  };
}

/** Returns `2026-11-24 00:00:00`. */
function utcText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}
