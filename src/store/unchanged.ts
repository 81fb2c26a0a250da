import { sql, type Expression, type SqlBool } from "kysely";

/**
 * True of a row that is still as it was read. Whoever writes back what was decided on a row asks for this, so that two who
 * decide at the same time do not undo each other, and what the audit log calls `before` was so.
 */
export function asBefore(row: object): Expression<SqlBool> {
  const equals = Object.entries(row).map(
    ([column, value]) => sql<SqlBool>`${sql.ref(column)} is not distinct from ${value}`,
  );
  return sql<SqlBool>`${sql.join(equals, sql` and `)}`;
}
