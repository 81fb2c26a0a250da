/** The SQL of SQLite. */
import { sql } from "kysely";
import type { Dialect } from "./dialect.js";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  isShared: false,
  thisNode: sql`null`,
  skipsLocked: false,
  lockOfRuns: null,
  selectStrings: (json) => sql`(select value from json_each(${json}))`,
  selectNumbers: (json) => sql`(select key, value from json_each(${json}))`,
  selectRecords(json, columns) {
    const values = columns.map(({ field, column }) => sql`value ->> ${sql.lit(field)} as ${sql.ref(column)}`);
    return sql`(select ${sql.join(values)} from json_each(${json}))`;
  },
  aggregateArrays: (expressions) => sql`json_group_array(json_array(${sql.join(expressions)}))`,
  hasPair: (json, key, value) =>
    sql`exists (select 1 from json_each(${json}) as pair where pair.key = ${key} and pair.value = ${value})`,
  selectField: (json, path) => sql`${json} ->> ${sql.lit(`$${path.map(pathStep).join("")}`)}`,
  contains: (text, part) => sql`instr(lower(${text}), lower(${part})) > 0`,
  lineBreak: sql`char(10)`,
  greater: (one, other) => sql`max(${one}, ${other})`,
  smaller: (one, other) => sql`min(${one}, ${other})`,
  toMonth: (time) => sql`cast(strftime('%Y%m', ${time} / 1000, 'unixepoch') as integer)`,
  monthStart: (time) =>
    sql`1000 * cast(strftime('%s', ${time} / 1000, 'unixepoch', 'start of month') as integer)`,
  timeText: (time) => sql`strftime('%Y-%m-%dT%H:%MZ', ${time} / 1000, 'unixepoch')`,
  // Ids grow, and no other connection writes within the transaction.
  insertedId: (table) => sql`(select max(id) from ${sql.table(table)})`,
  unindexed: (column) => sql`+${column}`,
  readBy: (table, index) => sql`${table} indexed by ${sql.ref(index)}`,
  ofGroup: (expression) => expression,
  someBytes: (count) => sql`randomblob(${sql.lit(count)})`,
};

function pathStep(step: string | number): string {
  return typeof step === "number" ? `[${step}]` : `.${step}`;
}
