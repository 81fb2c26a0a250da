import { sql, type RawBuilder, type SqlBool } from "kysely";
import {
  dayMs,
  hourMs,
  type RequestedModel,
  type HostedRule,
  type UsageDimension,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from "./usage-report.js";
import type { Database } from "../../store/database.js";

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Creates the queries of the table of hourly usage, which triggers on the table of runs update. */
export function createUsageStore({ kysely }: Database) {
  return {
    async rows(query: UsageQuery): Promise<readonly UsageRow[]> {
      const { rows } = await selection(query).execute(kysely);
      return rows.map((row) => fromRow(row, query.by));
    },
    /** Returns the models that were requested in that time, in order. */
    async requestedModels(
      query: Pick<UsageQuery, "teamId" | "from" | "to">,
      limit: number,
    ): Promise<readonly RequestedModel[]> {
      const { rows } = await sql<RequestedModel>`
        select distinct model, asked_model as "requestedModel" from usage_hours as used
        where ${within(query)} order by 1, 2 limit ${limit}`.execute(kysely);
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
  const { unit, by, hosted, order, limit } = query;
  const time = unit === null ? sql`null` : sql`hour - hour % ${sql.lit(unit === "day" ? dayMs : hourMs)}`;
  const ids = by.map((dimension) => columns[dimension].id);
  const groups = by.flatMap((dimension) => {
    const { id, name } = columns[dimension];
    return [sql`${id} as ${sql.ref(`${dimension}_id`)}`, sql`${name} as ${sql.ref(`${dimension}_name`)}`];
  });
  const priced = hosted.length > 0;
  return sql<Row>`
    ${priced ? rules(hosted) : sql``}
    select ${sql.join([sql`${time} as time`, ...groups])}, ${sums}, ${priced ? hostedSums : noHostedSums}
    from usage_hours as used ${priced ? joined : sql``}
    where ${within(query)}
    group by ${sql.join([time, ...ids])} having count(*) > 0
    order by ${sql.join([orders[order], ...ids])} limit ${limit}`;
}

/** A range of the primary key for each team, so that no other row is read. */
function within({ teamId, from, to }: Pick<UsageQuery, "teamId" | "from" | "to">): RawBuilder<SqlBool> {
  const teams = teamId === null ? sql`(select id from teams)` : sql`(${teamId})`;
  return sql`used.team_id in ${teams} and hour >= ${from} and hour < ${to}`;
}

const columns: Readonly<Record<UsageDimension, { id: RawBuilder<string>; name: RawBuilder<string | null> }>> =
  {
    key: { id: sql`api_key_id`, name: sql`(select name from api_keys where id = api_key_id)` },
    model: { id: sql`used.model`, name: sql`null` },
    team: { id: sql`used.team_id`, name: sql`(select name from teams where id = used.team_id)` },
  };

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
    group: by.map((dimension): UsageGroup => ({
      id: String(row[`${dimension}_id`]),
      name: row[`${dimension}_name`] === null ? null : String(row[`${dimension}_name`]),
    })),
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
