import { sql, type RawBuilder } from "kysely";

interface Comparison {
  /** The columns by which both sides are grouped; each side has at most one row for a key. */
  readonly keys: readonly string[];
  /** The columns that are compared: numbers, or texts of `joinNumbers`. */
  readonly values: readonly string[];
  /** A query of the columns of keys and values, in this order: what is stored. */
  readonly kept: RawBuilder<unknown>;
  /** The same: what it is computed from. */
  readonly added: RawBuilder<unknown>;
  /** The value of a row that one side lacks; null: a row that one side lacks is a difference in any case. */
  readonly absent: RawBuilder<unknown> | null;
}

/**
 * Returns a subquery of the keys and, for each value, the columns `kept_` and `added_` with its name, with a row for each difference. It
 * reads each side once and sorts both together: a join of two subqueries would read one of them again for each row of the other, because
 * SQLite makes no index for a full join.
 */
export function selectDifferences({ keys, values, kept, added, absent }: Comparison): RawBuilder<unknown> {
  const key = sql.join(keys.map((name) => sql.ref(name)));
  const columns = values.map((value) => ({
    value: sql.ref(value),
    kept: sql.ref(`kept_${value}`),
    added: sql.ref(`added_${value}`),
  }));
  const each = (column: (of: (typeof columns)[number]) => RawBuilder<unknown>) =>
    sql.join(columns.map(column));
  const found = (column: RawBuilder<unknown>) =>
    absent === null
      ? sql`max(${column}) as ${column}`
      : sql`coalesce(max(${column}), ${absent}) as ${column}`;
  const differs = columns.map((of) => sql`${of.kept} is distinct from ${of.added}`);
  return sql`(select * from (
    select ${key}, ${each((of) => sql`${found(of.kept)}, ${found(of.added)}`)} from (
      select ${key}, ${each((of) => sql`${of.value} as ${of.kept}, null as ${of.added}`)} from (${kept}) as stored
      union all
      select ${key}, ${each(({ value }) => sql`null, ${value}`)} from (${added}) as summed
    ) as sides group by ${key}
  ) as compared where ${sql.join(differs, sql` or `)}) as different`;
}
