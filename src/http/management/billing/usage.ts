/** POST /v1/billing/teams/{teamId}/usage: a team's usage as time series. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import {
  hourMs,
  type UsageDimension,
  type UsageTop,
  dayMs,
  type UsageRow,
} from "../../../accounts/money/usage-report.js";
import { mapInSteps, forEachInSteps } from "../../../core/report/steps.js";
import { boundedArray, requiredInteger } from "../../../dialects/request-fields.js";
import { invalidValue, unsupported } from "../../../dialects/field-error.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { managementRoute } from "../../server/route.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";
import { ticksToUsd } from "../../../core/money.js";
import { toMonth, monthStart } from "../../../accounts/money/spending.js";

// Converts usage rows to time series: one series for each group, with one point for each time unit.

type TimeUnit = "hour" | "day" | "month" | "none";

const valueNames = [
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

interface Series {
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
function unitStarts(unit: TimeUnit, from: number, to: number, max: number): readonly number[] {
  const starts = [findStart(unit, from, from)];
  for (let at = after(unit, starts[0] ?? from); unit !== "none" && at < to; at = after(unit, at)) {
    starts.push(at);
    if (starts.length > max) break;
  }
  return starts;
}

/** Series that are made before other work gets its turn; one has up to 10,000 points. */
const seriesAtOnce = 1;

/** Returns one series for each group, highest cost first, the one without a group last. @param from start of the only unit when `unit` is "none". */
async function toSeries(
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

/** Data points of one series. */
const pointsMax = 10_000;
/** Data points of all series of an answer. */
const pointsTotalMax = 100_000;
const seriesMax = 1000;

const units = {
  TIME_UNIT_HOUR: "hour",
  TIME_UNIT_DAY: "day",
  TIME_UNIT_MONTH: "month",
  TIME_UNIT_NONE: "none",
} as const satisfies Readonly<Record<string, TimeUnit>>;

const dimensions = {
  description: "model",
  apiKeyId: "key",
  memberId: "member",
  tag: "tag",
  endUser: "user",
} as const satisfies Readonly<Record<string, UsageDimension>>;

const zones: readonly string[] = ["", "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"];

const localTime = z.string().refine((text) => !Number.isNaN(parseTime(text)), {
  message: "must be a time such as 2026-11-21 15:00:00",
});

const requestSchema = z
  .object({
    analyticsRequest: z.object({
      timeRange: z
        .object({
          startTime: localTime,
          endTime: localTime,
          timezone: z.string().nullish().describe("UTC is the default and the only supported time zone."),
        })
        .describe("Usage is recorded by the hour: the range is extended to whole hours."),
      timeUnit: z.enum(Object.keys(units) as (keyof typeof units)[]),
      values: boundedArray(
        z.object({ name: z.enum(valueNames), aggregation: z.literal("AGGREGATION_SUM") }),
        valueNames.length,
      ).refine((values) => values.length > 0, { message: "must not be empty" }),
      groupBy: boundedArray(z.enum(Object.keys(dimensions) as (keyof typeof dimensions)[]), 2)
        .refine((names) => new Set(names).size === names.length, { message: "must not contain a name twice" })
        .nullish()
        .describe(
          "`description` groups by model; `memberId`, an extension, by the member who created the key, which is empty for keys that " +
            "were deleted; `tag` and `endUser`, extensions, by what requests name. A request with several tags is in the series of " +
            "each; one without any is in none. In a month a team has up to 1,000 tags of the header, 1,000 of metadata and 10,000 end " +
            "users of their own; further ones are summed as `*`.",
        ),
      tag: z.string().nullish().describe("An extension: only usage with this tag."),
      endUser: z.string().nullish().describe("An extension: only usage for this end user."),
      topMax: requiredInteger(1, seriesMax)
        .nullish()
        .describe(
          "An extension: this many series with the most of the first value, which is US dollars, requests or else tokens, and one " +
            "without a group that sums the others. It needs one name in `groupBy`.",
        ),
      filters: boundedArray(z.unknown(), 100).nullish().describe("Filters are not supported."),
    }),
  })
  .meta({ id: "UsageRequest" });

export const usageSchema = responseObject({
  timeSeries: responseArray(
    responseObject({
      group: responseArray(z.string()),
      groupLabels: responseArray(z.string()),
      dataPoints: responseArray(
        responseObject({
          timestamp: timeSchema.describe("Start of the time unit."),
          values: responseArray(z.number()),
        }),
      ).describe("One for each unit of the time range, including units without usage."),
    }).meta({ id: "UsageSeries" }),
  ).describe("Highest cost first."),
  limitReached: z.boolean().describe("Whether there are more series than the answer contains."),
}).meta({ id: "UsageResponse" });

export type WireUsage = z.infer<typeof usageSchema>;

/** Returns the series. */
export const getUsage = managementRoute({
  method: "POST",
  path: "/v1/billing/teams/:teamId/usage",
  acl: "BillingRead",
  docs: {
    operation: "getUsage",
    tag: "Billing",
    summary: "Get a team's usage over time",
    description:
      "Sums of US dollars, requests or tokens. `usd` is a rounded number; `hearth usage` reports exact amounts. A management key of a " +
      "member with the role `member` gets the usage of the API keys that they created.",
    params: { teamId: "Id of a team that the management key may manage." },
    body: requestSchema,
    example: {
      analyticsRequest: {
        timeRange: { startTime: "2026-11-01 00:00:00", endTime: "2026-12-01 00:00:00", timezone: "Etc/GMT" },
        timeUnit: "TIME_UNIT_DAY",
        values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
        groupBy: ["description"],
        filters: [],
      },
    },
    answers: { 200: { description: "The series.", schema: usageSchema } },
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { analyticsRequest } = parseFields(requestSchema, body);
    const { timeRange, timeUnit, values, groupBy, filters } = analyticsRequest;
    const { from, to } = parseRange(timeRange);
    if (filters != null && filters.length > 0) throw unsupported("analyticsRequest.filters", "filters are");
    const unit = units[timeUnit];
    const starts = unitStarts(unit, from, to, pointsMax);
    if (starts.length > pointsMax)
      throw invalidValue("analyticsRequest.timeRange", `has more than ${pointsMax} of these units`);
    const by = (groupBy ?? []).map((name) => dimensions[name]);
    const { rows } = await accounts.usage.report(
      {
        teamId: params["teamId"] ?? "",
        from,
        to,
        by,
        order: by.length > 0 ? "cost" : "time",
        unit: unit === "none" ? null : unit,
        top: toUsageTop(analyticsRequest),
        label: toLabel(analyticsRequest),
        hosted: null,
        rowsMax: pointsTotalMax,
      },
      toActor(manager),
    );
    const names = values.map(({ name }) => name);
    const found = await toSeries(rows, unit, starts[0] ?? from, names);
    const all = by.length === 0 && found.length === 0 ? [empty] : found;
    const returned = all.slice(0, Math.min(seriesMax, Math.floor(pointsTotalMax / starts.length)));
    type Answer = WireUsage;
    const one = (series: Series): string =>
      JSON.stringify(present(series, starts, names.length) satisfies Answer["timeSeries"][number]);
    const timeSeries = await mapInSteps(returned, one, seriesAtOnce);
    const limitReached: Answer["limitReached"] = returned.length < all.length;
    ctx.type = "application/json";
    ctx.body = `{"timeSeries":[${timeSeries.join(",")}],"limitReached":${limitReached}}`;
  },
});

/** Returns which series the request asks for; null = all. */
function toUsageTop({
  groupBy,
  topMax,
  values,
}: z.infer<typeof requestSchema>["analyticsRequest"]): UsageTop | null {
  if (topMax == null) return null;
  if (groupBy?.length !== 1)
    throw invalidValue("analyticsRequest.topMax", "needs exactly one name in groupBy");
  const name = values[0]?.name;
  return { count: topMax, measure: name === "usd" ? "cost" : name === "requests" ? "runs" : "tokens" };
}

function toLabel({ tag, endUser }: { tag?: string | null; endUser?: string | null }) {
  if (tag != null && endUser != null)
    throw invalidValue("analyticsRequest.endUser", "cannot be set with tag");
  if (tag != null) return { kind: "tag", label: tag } as const;
  return endUser == null ? null : ({ kind: "user", label: endUser } as const);
}

const empty: Series = { group: [], labels: [], costTicks: 0n, points: new Map() };

/** Returns the range in milliseconds since the epoch, extended to whole hours. */
function parseRange({
  startTime,
  endTime,
  timezone,
}: {
  startTime: string;
  endTime: string;
  timezone?: string | null;
}) {
  const place = "analyticsRequest.timeRange";
  if (!zones.includes(timezone ?? ""))
    throw unsupported(`${place}.timezone`, "a time zone other than UTC is");
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  if (end <= start) throw invalidValue(`${place}.endTime`, "must be after startTime");
  return { from: start - (start % hourMs), to: Math.ceil(end / hourMs) * hourMs };
}

/** Parses `YYYY-MM-DD hh:mm:ss`; returns NaN for anything else and for times before 1970. */
function parseTime(text: string): number {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return Number.NaN;
  const iso = `${text.replace(" ", "T")}.000Z`;
  const time = Date.parse(iso);
  return time >= 0 && new Date(time).toISOString() === iso ? time : Number.NaN;
}

function present({ group, labels, points }: Series, starts: readonly number[], values: number) {
  const nothing = Array.from({ length: values }, () => 0);
  return {
    group,
    groupLabels: labels,
    dataPoints: starts.map((start) => ({
      timestamp: timestamp(start),
      values: points.get(start) ?? nothing,
    })),
  };
}
