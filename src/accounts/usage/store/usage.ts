import { sql, type RawBuilder } from "kysely";
import { mapInSteps } from "../../../core/report/steps.js";
import type { Database } from "../../../store/database.js";
import type { Scope } from "../../visibility.js";
import type {
  RequestedModel,
  UsageDimension,
  UsageGroup,
  UsageQuery,
  UsageRange,
  UsageRow,
  UsageMeasure,
  UsageTop,
  HostedRule,
} from "../../money/usage-report.js";
import {
  selectUsageTable,
  within,
  readsHoursAlone,
  sumsBy,
  type BaseColumn,
  truncateTime,
} from "./sources.js";
import type { Dialect, RecordColumn } from "../../../store/dialect/dialect.js";
import { dimensions, groupColumns } from "./dimensions.js";

/** The columns that are summed. */
const summed = [
  ...["runs", "promptTokens", "cachedTokens", "imageTokens", "completionTokens", "reasoningTokens"],
  ...["images", "costTicks", "creditTicks"],
];

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Creates the queries of the tables of usage by the hour and by the day, which triggers on the table of runs update. */
export function createUsageStore({ reports, dialect }: Database) {
  return {
    async rows(query: UsageQuery): Promise<readonly UsageRow[]> {
      const { top } = query;
      const found = top === null ? selection(dialect, query) : topSelection(dialect, query, top);
      const { rows } = await found.execute(reports);
      return mapInSteps(rows, (row) => fromRow(row, query.by));
    },
    /** Returns how many runs of the scope that started at `since` or later have failed. */
    async failures({ teamId, ownerId }: Scope, since: number): Promise<number> {
      const ofTeam = teamId === null ? sql`` : sql`and team_id = ${teamId}`;
      const own = ownerId === null ? sql`` : sql`and user_id = ${ownerId}`;
      // The state stands in the text: only so the index of failed runs is used.
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from runs
        where state = 'failed' and start_time >= ${since} ${ofTeam} ${own}`.execute(reports);
      return rows[0]?.count ?? 0;
    },
    /** Returns the models that were requested in that time, in order. */
    async requestedModels(query: UsageRange, limit: number): Promise<readonly RequestedModel[]> {
      const { rows } = await sql<RequestedModel>`
        select distinct model, asked_model as "requestedModel" from ${selectUsageTable({ ...query, by: [] }, "hour")} as used
        where ${within({ ...query, by: [] }, "hour")} order by 1, 2 limit ${limit}`.execute(reports);
      return rows;
    },
  };
}

function fromRow(row: UsageRecord, by: readonly UsageDimension[]): UsageRow {
  return {
    time: row.time,
    group: readGroups(row, by),
    runs: row.runs,
    usage: {
      promptTokens: row.prompt,
      cachedTokens: row.cached,
      imageTokens: row.image,
      completionTokens: row.completion,
      reasoningTokens: row.reasoning,
      images: row.images,
    },
    costTicks: BigInt(row.cost),
    creditTicks: BigInt(row.credit),
    hosted: { runs: row.hostedRuns, tokens: row.hostedTokens, ticks: BigInt(row.hosted) },
  };
}

/** Returns no groups for the sum of those that are not the highest: its ids are null. */
function readGroups(row: UsageRecord, by: readonly UsageDimension[]): readonly UsageGroup[] {
  return by.flatMap((dimension): readonly UsageGroup[] => {
    const [id, name] = [row[`${dimension}Id`], row[`${dimension}Name`]];
    if (id === null) return [];
    return [{ id: String(id), name: name == null ? null : String(name) }];
  });
}

/**
 * The amount of each group decides which are the highest; the sums of all, less the sums of the highest, are what the
 * others have. Days are read three times: that is faster than making a group for each time and id, which may be a hundred thousand.
 * Hours are read once.
 */
function topSelection(
  dialect: Dialect,
  query: UsageQuery,
  { count, measure }: UsageTop,
): RawBuilder<UsageRecord> {
  const [dimension] = query.by;
  if (dimension === undefined) throw new Error("the highest groups need a dimension");
  const { id, ...columns } = dimensions[dimension];
  const [base, column] = [sql.ref(columns.base), sql.ref(`used.${columns.base}`)];
  const amount = sql.join(
    measures[measure].map((name) => sql.ref(name)),
    sql` + `,
  );
  const start = (time: RawBuilder<unknown>) => unitStart(dialect, query.unit, time);
  const { grouped, amounts, highest, all } = createSources(query, columns.base, measures[measure]);
  return sql<UsageRecord>`
    with ${grouped} amounts as materialized (
      select ${column}, ${id} as id, sum(${amount}) as amount from ${amounts} as used group by ${column}),
    chosen as materialized (
      select ${base}, id from amounts where id in (
        select id from amounts group by id order by sum(amount) desc, id limit ${count})),
    highest as materialized (
      select ${start(sql`used.time`)} as time, chosen.id as id, ${sql.join(summed.map(sumColumn))}
      from ${highest} as used join chosen on chosen.${base} = ${column} group by 1, 2)
    select * from (
      select ${sql.join([sql`time`, ...groupColumns(dialect, dimension, sql`highest.id`), sums])}, ${noHostedSums}
      from highest group by time, highest.id
      union all
      select time, null, null, ${sums}, ${noHostedSums} from (
        select ${start(sql`every.time`)} as time, ${sql.join(summed.map((name) => sql.ref(name)))} from ${all} as every
        union all
        select time, ${sql.join(summed.map((name) => sql`-${sql.ref(name)}`))} from highest) as remaining
      group by time having sum(runs) > 0) as report
    order by time, ${sql.ref(`${dimension}_id`)} nulls first limit ${query.limit}`;
}

/** What the amounts, the highest groups and the sums of all are read from. `grouped` defines what the sums of hours refer to. */
function createSources(query: UsageQuery, base: BaseColumn, measured: readonly string[]) {
  const each = summed.map(sumColumn);
  if (readsHoursAlone(query)) {
    const of = sql`grouped`;
    const grouped = sql`grouped as materialized (select * from ${sumsBy(query, [base], each)} as used),`;
    return { grouped, amounts: of, highest: of, all: of };
  }
  const ofHighest = sql`and used.${sql.ref(base)} in (select ${sql.ref(base)} from chosen)`;
  return {
    grouped: sql``,
    amounts: sumsBy({ ...query, unit: null }, [base], measured.map(sumColumn)),
    highest: sumsBy(query, [base], each, ofHighest),
    all: sumsBy(query, [], each),
  };
}

const measures: Readonly<Record<UsageMeasure, readonly string[]>> = {
  cost: ["costTicks"],
  runs: ["runs"],
  tokens: ["promptTokens", "completionTokens", "reasoningTokens"],
};

// Reports of every group.

/** A row of a report: its time, the id and the name of each group, and its sums. */
interface UsageRecord {
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

function selection(dialect: Dialect, query: UsageQuery): RawBuilder<UsageRecord> {
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
const sums = sql`sum(runs) as runs, sum(prompt_tokens) as prompt, sum(cached_tokens) as cached,
  sum(image_tokens) as image, sum(completion_tokens) as completion, sum(reasoning_tokens) as reasoning,
  sum(images) as images,
  cast(sum(cost_ticks) as text) as cost, cast(sum(credit_ticks) as text) as credit`;

const hostedSums = sql`coalesce(sum(case when rule.model is null then 0 else runs end), 0) as hosted_runs,
  sum(case when rule.model is null then 0 else prompt_tokens + completion_tokens + reasoning_tokens end) as hosted_tokens,
  cast(coalesce(sum((prompt_tokens - cached_tokens) * prompt_ticks + cached_tokens * cached_ticks
    + (completion_tokens + reasoning_tokens) * completion_ticks), 0) as text) as hosted`;

const noHostedSums = sql`0 as hosted_runs, 0 as hosted_tokens, '0' as hosted`;

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

function sumColumn(column: string): RawBuilder<unknown> {
  return sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`;
}

/** The start of the unit of a report in which a time of `sumsBy` lies. */
function unitStart(
  { monthStart }: Dialect,
  unit: UsageQuery["unit"],
  time: RawBuilder<unknown>,
): RawBuilder<number | null> {
  return unit === "month" ? monthStart(time) : sql`${time}`;
}
