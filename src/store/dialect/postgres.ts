/** The SQL of PostgreSQL. Its names of columns, and its times, are the same as for SQLite: bigint milliseconds since the epoch. */
import { sql, type RawBuilder } from "kysely";
import type { Dialect, RecordColumn } from "./dialect.js";

const utc = (time: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`to_timestamp(${time} / 1000) at time zone 'UTC'`;

export const postgresDialect: Dialect = {
  name: "postgres",
  isShared: true,
  thisNode: sql`this_node()`,
  skipsLocked: true,
  // The lock that a trigger of runs shares: see src/store/schema/postgres.sql.
  lockOfRuns: (team) => sql`pg_advisory_xact_lock(hashtextextended('hearth budgets of ' || ${team}, 0))`,
  selectStrings: (json) => sql`(select value from json_array_elements_text(cast(${json} as json)))`,
  selectNumbers: (json) =>
    sql`(select key, cast(value as bigint) as value from json_each_text(cast(${json} as json)))`,
  selectRecords: (json, columns) =>
    sql`(select ${sql.join(columns.map(readField))} from json_array_elements(cast(${json} as json)) as record (value))`,
  aggregateArrays: (expressions) => sql`cast(json_agg(json_build_array(${sql.join(expressions)})) as text)`,
  hasPair: (json, key, value) => sql`cast(${json} as json) ->> cast(${key} as text) = ${value}`,
  selectField: (json, path) => sql`cast(${json} as json) #>> ${sql.lit(`{${path.join(",")}}`)}`,
  contains: (text, part) => sql`position(lower(${part}) in lower(${text})) > 0`,
  lineBreak: sql`chr(10)`,
  // `greatest` and `least` leave out what is null; SQLite returns null.
  greater: (one, other) => sql`case when ${one} > ${other} then ${one} else ${orNull(one, other)} end`,
  smaller: (one, other) => sql`case when ${one} < ${other} then ${one} else ${orNull(one, other)} end`,
  toMonth: (time) => sql`month_of(${time})`,
  monthStart: (time) => sql`month_start(${time})`,
  timeText: (time) => sql`to_char(${utc(time)}, 'YYYY-MM-DD"T"HH24:MI"Z"')`,
  insertedId: (table) => sql`currval(${sql.lit(`${table}_id_seq`)})`,
  unindexed: (column) => column,
  readBy: (table) => table,
  ofGroup: <Value>(expression: RawBuilder<Value>) => sql<Value>`min(${expression})`,
  someBytes: (count) => sql`decode(repeat('5a', ${sql.lit(count)}), 'hex')`,
};

/** The other number; null where one of the two is. */
function orNull(one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${one} is not null then ${other} end`;
}

/** Text compares by code points, as in every column. */
function readField({ field, column, type }: RecordColumn): RawBuilder<unknown> {
  const text = sql`value ->> ${sql.lit(field)}`;
  const value = type === "text" ? sql`(${text}) collate "C"` : sql`cast(${text} as bigint)`;
  return sql`${value} as ${sql.ref(column)}`;
}
