import { sql, type Expression, type SqlBool } from "kysely";

/**
 * A condition that is true for a row that still has these values. An update that depends on a row as it was read uses it, so
 * that concurrent updates do not overwrite each other and the audit log's `before` is correct.
 */
export function isUnchanged(row: object): Expression<SqlBool> {
  const equals = Object.entries(row).map(([column, value]) =>
    // PostgreSQL looks for no other comparison in an index.
    value === null ? sql<SqlBool>`${sql.ref(column)} is null` : sql<SqlBool>`${sql.ref(column)} = ${value}`,
  );
  return sql<SqlBool>`${sql.join(equals, sql` and `)}`;
}
