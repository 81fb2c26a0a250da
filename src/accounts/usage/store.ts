import { sql, type RawBuilder, type SqlBool } from "kysely";
import {
  dayMs,
  hourMs,
  type RequestedModel,
  type HostedRule,
  type UsageDimension,
  type UsageGroup,
  type UsageMeasure,
  type UsageQuery,
  type UsageRange,
  type UsageRow,
  type UsageTop,
} from "./usage-report.js";
import type { Database } from "../../store/database.js";

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Creates the queries of the tables of usage by hour and by day, which triggers on the table of runs update. */
export function createUsageStore({ kysely }: Database) {
  return {
    async rows(query: UsageQuery): Promise<readonly UsageRow[]> {
      const { top } = query;
      const found = top === null ? selection(query) : topSelection(query, top);
      const { rows } = await found.execute(kysely);
      return rows.map((row) => fromRow(row, query.by));
    },
    /**
     * Returns how many runs that started at `since` or later have failed.
     * @param teamId null: of all teams
     * @param ownerId only runs with the API keys that this member created; null: all
     */
    async failures(teamId: string | null, since: number, ownerId: string | null): Promise<number> {
      const ofTeam = teamId === null ? sql`` : sql`and team_id = ${teamId}`;
      const own =
        ownerId === null
          ? sql``
          : sql`and api_key_id in (select id from api_keys where user_id = ${ownerId})`;
      // The state stands in the text: only so the index of failed runs is used.
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from runs
        where state = 'failed' and start_time >= ${since} ${ofTeam} ${own}`.execute(kysely);
      return rows[0]?.count ?? 0;
    },
    /** Returns the models that were requested in that time, in order. */
    async requestedModels(query: UsageRange, limit: number): Promise<readonly RequestedModel[]> {
      const { rows } = await sql<RequestedModel>`
        select distinct model, asked_model as "requestedModel" from usage_hours as used
        where ${within(query, "hour")} order by 1, 2 limit ${limit}`.execute(kysely);
      return rows;
    },
  };
}

interface Row {
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
  readonly hosted_runs: number;
  readonly hosted_tokens: number;
  readonly hosted: string;
}

function selection(query: UsageQuery): RawBuilder<Row> {
  const { by, hosted, order, limit } = query;
  const time = timeOf(query);
  const ids = by.map((dimension) => columns[dimension].id);
  const groups = by.flatMap((dimension) => group(dimension, columns[dimension].id));
  const priced = hosted.length > 0;
  return sql<Row>`
    ${priced ? rules(hosted) : sql``}
    select ${sql.join([sql`${time} as time`, ...groups])}, ${sums}, ${priced ? hostedSums : noHostedSums}
    from ${source(query)} ${priced ? joined : sql``}
    group by ${sql.join([time, ...ids])} having count(*) > 0
    order by ${sql.join([orders[order], ...ids])} limit ${limit}`;
}

/** The rows are read once: the highest groups, and the sum of the others, come from the sums of all. */
function topSelection(query: UsageQuery, { count, measure }: UsageTop): RawBuilder<Row> {
  const { by, limit } = query;
  const dimensions = by.map((dimension) => ({ dimension, id: columns[dimension].id }));
  const groups = by.flatMap((dimension) => group(dimension, sql`top.id`));
  const id = dimensions[0]?.id ?? sql`null`;
  return sql<Row>`
    with grouped as materialized (
      select ${timeOf(query)} as time, ${id} as id, ${sql.join(summed.map(sumOf))}
      from ${source(query)} group by 1, 2),
    top as materialized (
      select id from grouped group by id order by ${measures[measure]} desc, id limit ${count})
    select ${sql.join([sql`grouped.time as time`, ...groups])}, ${sums}, ${noHostedSums}
    from grouped left join top on top.id = grouped.id
    group by grouped.time, top.id order by grouped.time, top.id limit ${limit}`;
}

function timeOf({ unit }: UsageQuery): RawBuilder<number | null> {
  return unit === null ? sql`null` : sql`hour - hour % ${sql.lit(unit === "day" ? dayMs : hourMs)}`;
}

function group(dimension: UsageDimension, id: RawBuilder<string>): readonly RawBuilder<unknown>[] {
  const { name } = columns[dimension];
  return [sql`${id} as ${sql.ref(`${dimension}_id`)}`, sql`${name(id)} as ${sql.ref(`${dimension}_name`)}`];
}

/**
 * The rows of the time: of the days that are whole, and of the hours before and after them. Only hours where the report is by hour,
 * or has hosted prices, which change at an hour.
 */
function source(query: UsageQuery): RawBuilder<unknown> {
  const { from, to, unit, hosted } = query;
  const [first, last] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  const isByHour = unit === "hour" || hosted.length > 0 || first >= last;
  if (isByHour) return sql`(${rowsOf("hour", query)}) as used`;
  const edges = [
    { ...query, to: first },
    { ...query, from: last },
  ].filter((edge) => edge.from < edge.to);
  const parts = [
    rowsOf("day", { ...query, from: first, to: last }),
    ...edges.map((edge) => rowsOf("hour", edge)),
  ];
  return sql`(${sql.join(parts, sql` union all `)}) as used`;
}

/** The rows of a range from the table of days or of hours. */
function rowsOf(unit: "day" | "hour", range: UsageRange): RawBuilder<unknown> {
  const columns = sql.join(summed.map((column) => sql.ref(column)));
  return sql`select team_id, ${sql.ref(unit)} as hour, model, asked_model, api_key_id, ${columns}
    from ${sql.table(`usage_${unit}s`)} as used where ${within(range, unit)}`;
}

/** A range of the primary key for each team, so that no other row is read. */
function within({ teamId, ownerId, from, to }: UsageRange, unit: "day" | "hour"): RawBuilder<SqlBool> {
  const teams = teamId === null ? sql`(select id from teams)` : sql`(${teamId})`;
  const own =
    ownerId === null
      ? sql``
      : sql`and api_key_id in (select id from api_keys where team_id in ${teams} and user_id = ${ownerId})`;
  const start = sql.ref(`used.${unit}`);
  return sql`used.team_id in ${teams} and ${start} >= ${from} and ${start} < ${to} ${own}`;
}

interface DimensionColumns {
  readonly id: RawBuilder<string>;
  readonly name: (id: RawBuilder<string>) => RawBuilder<string | null>;
}

const columns: Readonly<Record<UsageDimension, DimensionColumns>> = {
  key: { id: sql`api_key_id`, name: (id) => sql`(select name from api_keys where id = ${id})` },
  model: { id: sql`used.model`, name: () => sql`null` },
  team: { id: sql`used.team_id`, name: (id) => sql`(select name from teams where id = ${id})` },
  member: {
    id: sql`coalesce((select user_id from api_keys where id = api_key_id), '')`,
    name: (id) => sql`(select email from members where id = ${id})`,
  },
};

const measures: Readonly<Record<UsageMeasure, RawBuilder<unknown>>> = {
  cost: sql`sum(cost_ticks)`,
  runs: sql`sum(runs)`,
  tokens: sql`sum(prompt_tokens + completion_tokens + reasoning_tokens)`,
};

/** The columns that are summed. */
const summed = [
  ...["runs", "prompt_tokens", "cached_tokens", "image_tokens", "completion_tokens", "reasoning_tokens"],
  ...["images", "cost_ticks", "credit_ticks"],
];

function sumOf(column: string): RawBuilder<unknown> {
  return sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`;
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

const hostedSums = sql`coalesce(sum(iif(rule.model is null, 0, runs)), 0) as hosted_runs,
  sum(iif(rule.model is null, 0, prompt_tokens + completion_tokens + reasoning_tokens)) as hosted_tokens,
  cast(coalesce(sum((prompt_tokens - cached_tokens) * prompt_ticks + cached_tokens * cached_ticks
    + (completion_tokens + reasoning_tokens) * completion_ticks), 0) as text) as hosted`;

const noHostedSums = sql`0 as hosted_runs, 0 as hosted_tokens, '0' as hosted`;

/** The price rules as a table. */
function rules(hosted: readonly HostedRule[]): RawBuilder<unknown> {
  return sql`with rules as materialized (select value ->> 'model' as model, value ->> 'requestedModel' as asked_model,
    value ->> 'from' as since, value ->> 'to' as until, value ->> 'promptTicks' as prompt_ticks,
    value ->> 'cachedTicks' as cached_ticks, value ->> 'completionTicks' as completion_ticks
    from json_each(${JSON.stringify(hosted)}))`;
}

const joined = sql`left join rules as rule on rule.model = used.model and rule.asked_model = used.asked_model
  and hour >= since and hour < until`;

function fromRow(row: Row, by: readonly UsageDimension[]): UsageRow {
  return {
    time: row.time,
    group: groupsOf(row, by),
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
    hosted: { runs: row.hosted_runs, tokens: row.hosted_tokens, ticks: BigInt(row.hosted) },
  };
}

/** Returns no groups for the sum of those that are not the highest: its ids are null. */
function groupsOf(row: Row, by: readonly UsageDimension[]): readonly UsageGroup[] {
  return by.flatMap((dimension): readonly UsageGroup[] => {
    const [id, name] = [row[`${dimension}_id`], row[`${dimension}_name`]];
    if (id === null) return [];
    return [{ id: String(id), name: name === null || name === undefined ? null : String(name) }];
  });
}
