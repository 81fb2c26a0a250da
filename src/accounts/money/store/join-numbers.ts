import { sql, type RawBuilder } from "kysely";

/** Returns numbers as one text, such as [0,0,0], by which rows of sums are compared and shown. */
export function joinNumbers(...numbers: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  return sql`('[' || ${sql.join(numbers, sql` || ',' || `)} || ']')`;
}
