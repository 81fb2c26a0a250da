/** Reports of the highest groups. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../../../store/dialect/dialect.js";
import type { UsageMeasure, UsageQuery, UsageTop } from "../../money/usage-report.js";
import { dimensions, groupColumns } from "./dimensions.js";
import { noHostedSums, sums, type UsageRecord } from "./selection.js";
import { readsHoursAlone, summed, sumColumn, sumsBy, unitStart, type BaseColumn } from "./sources.js";

/**
 * The amount of each group decides which are the highest; the sums of all, less the sums of the highest, are what the
 * others have. Days are read three times: that is faster than making a group for each time and id, which may be a hundred thousand.
 * Hours are read once.
 */
export function topSelection(
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
