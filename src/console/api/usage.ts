/** Usage of a team over time. */
import type { z } from "zod";
import type { usageSchema } from "../../http/management/billing/usage.js";
import { request } from "../lib/client.js";
import { ticksOfNumber } from "../lib/money.js";

export type UsageUnit = "hour" | "day" | "month";
export type UsageMeasure = "tokens" | "usd";

export interface UsageQuery {
  /** Milliseconds since 1970; whole hours. */
  readonly from: number;
  readonly to: number;
  readonly unit: UsageUnit;
  /** What the API calls the group, such as `apiKeyId`. */
  readonly groupBy: string;
  /** What groups are compared by. */
  readonly measure: UsageMeasure;
}

export interface UsageSums {
  readonly requests: number;
  readonly promptTokens: number;
  /** Part of the prompt tokens. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly costTicks: bigint;
}

export interface UsagePoint extends UsageSums {
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

const units = { hour: "TIME_UNIT_HOUR", day: "TIME_UNIT_DAY", month: "TIME_UNIT_MONTH" } as const;

/** Returns the groups with the most usage, and the sum of the others. */
export async function getUsage(
  teamId: string,
  { from, to, unit, groupBy, measure }: UsageQuery,
  signal: AbortSignal,
): Promise<readonly UsageSeries[]> {
  // The first value decides which groups are the highest.
  const names = measure === "usd" ? ["usd", ...counted] : ["tokens", "usd", ...counted];
  const analyticsRequest = {
    timeRange: { startTime: utcText(from), endTime: utcText(to), timezone: "UTC" },
    timeUnit: units[unit],
    values: names.map((name) => ({ name, aggregation: "AGGREGATION_SUM" })),
    groupBy: [groupBy],
    topMax: groupsMax,
  };
  const answer = await request<z.infer<typeof usageSchema>>("POST", `/v1/billing/teams/${teamId}/usage`, {
    body: { analyticsRequest },
    signal,
  });
  return answer.timeSeries.map(({ group, groupLabels, dataPoints }) => ({
    id: group[0] ?? null,
    label: groupLabels[0] ?? "",
    points: dataPoints.map(({ timestamp, values }) =>
      toPoint(timestamp, (name) => values[names.indexOf(name)] ?? 0),
    ),
  }));
}

function toPoint(timestamp: string, value: (name: string) => number): UsagePoint {
  return {
    time: Date.parse(timestamp),
    requests: value("requests"),
    promptTokens: value("promptTokens"),
    cachedTokens: value("cachedTokens"),
    completionTokens: value("completionTokens"),
    reasoningTokens: value("reasoningTokens"),
    costTicks: ticksOfNumber(value("usd")),
  };
}

/** Returns `2026-11-24 00:00:00`. */
function utcText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}
