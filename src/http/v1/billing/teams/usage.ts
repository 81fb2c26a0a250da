/** POST /v1/billing/teams/{teamId}/usage: what a team has used, as series over time. */
import { z } from "zod";
import { actorOf } from "../../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../../accounts/management-keys/permissions.js";
import { hourMs, type UsageDimension } from "../../../../accounts/usage/usage-report.js";
import { list } from "../../../../dialects/bounded.js";
import { invalidValue, unsupported } from "../../../../dialects/field-error.js";
import { shape, shapes } from "../../../../dialects/shape.js";
import type { HttpDeps } from "../../../deps.js";
import { read } from "../../../management/fields.js";
import {
  seriesOf,
  unitStarts,
  valueNames,
  type Series,
  type TimeUnit,
} from "../../../management/time-series.js";
import type { ManagementCall } from "../../../route.js";
import type { RouteDocs } from "../../../route-docs.js";
import { time, timestamp } from "../../../management/timestamp.js";

/** Of one series, and of all of an answer. */
const pointsMax = 10_000;
const pointsOfAllMax = 100_000;
const seriesMax = 1000;

const units = {
  TIME_UNIT_HOUR: "hour",
  TIME_UNIT_DAY: "day",
  TIME_UNIT_MONTH: "month",
  TIME_UNIT_NONE: "none",
} as const satisfies Readonly<Record<string, TimeUnit>>;

const dimensions = { description: "model", apiKeyId: "key" } as const satisfies Readonly<
  Record<string, UsageDimension>
>;

const zones: readonly string[] = ["", "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"];

const localTime = z
  .string()
  .refine((text) => !Number.isNaN(timeOf(text)), { message: "must be a time such as 2026-11-21 15:00:00" });

const requestSchema = z
  .object({
    analyticsRequest: z.object({
      timeRange: z
        .object({
          startTime: localTime,
          endTime: localTime,
          timezone: z.string().nullish().describe("UTC, also when it is left out."),
        })
        .describe("Use is kept by the hour: every hour that the time has a part of counts whole."),
      timeUnit: z.enum(Object.keys(units) as (keyof typeof units)[]),
      values: list(
        z.object({ name: z.enum(valueNames), aggregation: z.literal("AGGREGATION_SUM") }),
        valueNames.length,
      ).refine((values) => values.length > 0, { message: "must not be empty" }),
      groupBy: list(z.enum(Object.keys(dimensions) as (keyof typeof dimensions)[]), 2)
        .refine((names) => new Set(names).size === names.length, { message: "must not name one twice" })
        .nullish()
        .describe("`description` is the model."),
      filters: list(z.unknown(), 100).nullish().describe("None."),
    }),
  })
  .meta({ id: "UsageRequest" });

const answerSchema = shape({
  timeSeries: shapes(
    shape({
      group: shapes(z.string()),
      groupLabels: shapes(z.string()),
      dataPoints: shapes(
        shape({ timestamp: time.describe("Where the unit begins."), values: shapes(z.number()) }),
      ).describe("One for each unit of the time, also where nothing was used."),
    }).meta({ id: "UsageSeries" }),
  ).describe("The most costly first."),
  limitReached: z.boolean().describe("Whether there are more series than were told."),
}).meta({ id: "UsageAnswer" });

/** Tells the series. */
export function tellUsage({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params, route }) => {
    const { timeRange, timeUnit, values, groupBy, filters } = read(requestSchema, body).analyticsRequest;
    const { from, to } = rangeOf(timeRange);
    if (filters != null && filters.length > 0) throw unsupported("analyticsRequest.filters", "filters are");
    const unit = units[timeUnit];
    const starts = unitStarts(unit, from, to, pointsMax);
    if (starts.length > pointsMax)
      throw invalidValue("analyticsRequest.timeRange", `has more than ${pointsMax} of these units`);
    authoriseManager(manager, route.endpointAcl);
    const by = (groupBy ?? []).map((name) => dimensions[name]);
    const { rows } = await accounts.usage.report(
      {
        ...{ teamId: params["teamId"] ?? "", from, to, by, order: by.length > 0 ? "cost" : "time" },
        ...{ unit: unit === "none" ? null : unit === "hour" ? "hour" : "day" },
        ...{ hosted: null, rowsMax: pointsOfAllMax },
      },
      actorOf(manager),
    );
    const names = values.map(({ name }) => name);
    const found = seriesOf(rows, unit, starts[0] ?? from, names);
    const all = by.length === 0 && found.length === 0 ? [empty] : found;
    const told = all.slice(0, Math.min(seriesMax, Math.floor(pointsOfAllMax / starts.length)));
    const answer: z.infer<typeof answerSchema> = {
      timeSeries: told.map((series) => present(series, starts, names.length)),
      limitReached: told.length < all.length,
    };
    ctx.body = answer;
  };
}

export const usageDocs: RouteDocs = {
  operation: "getUsage",
  tag: "Billing",
  summary: "Tell what a team has used, over time",
  description:
    "Sums of dollars (`usd`, which a number rounds; `hearth usage` has them exactly), requests or tokens.",
  params: { teamId: "Id of a team that the management key is for." },
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
  answers: { 200: { description: "The series.", schema: answerSchema } },
};

const empty: Series = { group: [], labels: [], costTicks: 0n, points: new Map() };

/** Whole hours. */
function rangeOf({
  startTime,
  endTime,
  timezone,
}: {
  startTime: string;
  endTime: string;
  timezone?: string | null | undefined;
}) {
  const place = "analyticsRequest.timeRange";
  if (!zones.includes(timezone ?? "")) throw unsupported(`${place}.timezone`, "another one than UTC is");
  const [start, end] = [timeOf(startTime), timeOf(endTime)];
  if (end <= start) throw invalidValue(`${place}.endTime`, "must be after startTime");
  return { from: start - (start % hourMs), to: Math.ceil(end / hourMs) * hourMs };
}

/** NaN for what is no such time, or before 1970. */
function timeOf(text: string): number {
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
