/** Reports of every group. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect, RecordColumn } from "../../../store/dialect/dialect.js";
import type { HostedRule, UsageQuery } from "../../money/usage-report.js";
import { dimensions, groupColumns } from "./dimensions.js";
import { summed, sumColumn, sumsBy, selectUsageTable, truncateTime, unitStart, within } from "./sources.js";

/** A row of a report: its time, the id and the name of each group, and its sums. */
export interface UsageRecord {
  readonly [group: string]: number | string | null;
  readonly time: number | null;
  readonly runs: number;
  readonly prompt: number;
  readonly cached: number;
  readonly image: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly images: number;
  readonly cost: string;
  readonly credit: string;
  readonly hostedRuns: number;
  readonly hostedTokens: number;
  readonly hosted: string;
}

export function selection(dialect: Dialect, query: UsageQuery): RawBuilder<UsageRecord> {
  if (query.hosted.length > 0) return pricedSelection(dialect, query);
  const bases = new Set(query.by.map((dimension) => dimensions[dimension].base));
  const source = sumsBy(query, [...bases], summed.map(sumColumn));
  const time = unitStart(dialect, query.unit, sql`used.time`);
  return sql<UsageRecord>`
    select ${groupsAndSums(dialect, query, time)}, ${noHostedSums} from ${source} as used ${grouped(query, time)}`;
}

/** Hosted prices change at an hour: the rows are sums of hours. */
function pricedSelection(dialect: Dialect, query: UsageQuery): RawBuilder<UsageRecord> {
  const time = unitStart(dialect, query.unit, truncateTime(query.unit, "hour"));
  return sql<UsageRecord>`
    ${rules(dialect, query.hosted)}
    select ${groupsAndSums(dialect, query, time)}, ${hostedSums}
    from ${selectUsageTable(query, "hour")} as used ${joined} where ${within(query, "hour")} ${grouped(query, time)}`;
}

function groupsAndSums(
  dialect: Dialect,
  { by }: UsageQuery,
  time: RawBuilder<number | null>,
): RawBuilder<unknown> {
  const groups = by.flatMap((dimension) => groupColumns(dialect, dimension, dimensions[dimension].id));
  return sql.join([sql`${time} as time`, ...groups, sums]);
}

function grouped({ by, order, limit }: UsageQuery, time: RawBuilder<number | null>): RawBuilder<unknown> {
  const ids = by.map((dimension) => dimensions[dimension].id);
  return sql`group by ${sql.join([time, ...ids])} having count(*) > 0
    order by ${sql.join([orders[order], ...ids])} limit ${limit}`;
}

const orders: Readonly<Record<UsageQuery["order"], RawBuilder<unknown>>> = {
  time: sql`time`,
  newest: sql`time desc`,
  cost: sql`sum(cost_ticks) desc`,
};

/** Ticks are read as text: sums over years exceed the safe integers of JavaScript. */
export const sums = sql`sum(runs) as runs, sum(prompt_tokens) as prompt, sum(cached_tokens) as cached,
  sum(image_tokens) as image, sum(completion_tokens) as completion, sum(reasoning_tokens) as reasoning,
  sum(images) as images,
  cast(sum(cost_ticks) as text) as cost, cast(sum(credit_ticks) as text) as credit`;

const hostedSums = sql`coalesce(sum(case when rule.model is null then 0 else runs end), 0) as hosted_runs,
  sum(case when rule.model is null then 0 else prompt_tokens + completion_tokens + reasoning_tokens end) as hosted_tokens,
  cast(coalesce(sum((prompt_tokens - cached_tokens) * prompt_ticks + cached_tokens * cached_ticks
    + (completion_tokens + reasoning_tokens) * completion_ticks), 0) as text) as hosted`;

export const noHostedSums = sql`0 as hosted_runs, 0 as hosted_tokens, '0' as hosted`;

/** The price rules as a table. */
function rules({ selectRecords }: Dialect, hosted: readonly HostedRule[]): RawBuilder<unknown> {
  return sql`with rules as materialized (select * from ${selectRecords(JSON.stringify(hosted), ruleColumns)} as given)`;
}

const ruleColumns: readonly RecordColumn[] = [
  { field: "model", column: "model", type: "text" },
  { field: "requestedModel", column: "askedModel", type: "text" },
  { field: "from", column: "since", type: "number" },
  { field: "to", column: "until", type: "number" },
  { field: "promptTicks", column: "promptTicks", type: "number" },
  { field: "cachedTicks", column: "cachedTicks", type: "number" },
  { field: "completionTicks", column: "completionTicks", type: "number" },
];

const joined = sql`left join rules as rule on rule.model = used.model and rule.asked_model = used.asked_model
  and hour >= since and hour < until`;
