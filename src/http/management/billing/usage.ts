/** POST /v1/billing/teams/{teamId}/usage: a team's usage as time series. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { hourMs, type UsageDimension, type UsageTop } from "../../../accounts/money/usage-report.js";
import { mapInSteps } from "../../../core/report/steps.js";
import { boundedArray, requiredInteger } from "../../../dialects/request-fields.js";
import { invalidValue, unsupported } from "../../../dialects/field-error.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { type Series, seriesAtOnce, toSeries, type TimeUnit, unitStarts, valueNames } from "./time-series.js";
import { managementRoute } from "../../server/route.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";

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
