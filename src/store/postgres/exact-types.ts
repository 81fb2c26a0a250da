import pg from "pg";

/** Types of PostgreSQL by their number: 8-byte integers, and the sums of them. */
const [int8, numeric] = [20, 1700];

/**
 * The types of a connection whose integers are exact: JavaScript's numbers, as they come from SQLite. What exceeds them is read as
 * text by the queries that expect it.
 */
export const exactTypes: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: "text" | "binary"): (value: string) => unknown {
    if (type === int8 || type === numeric) return exactNumber;
    return pg.types.getTypeParser(type, format) as (value: string) => unknown;
  },
};

/** @throws RangeError for a number that JavaScript would round. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database returned ${text}, which is no exact number`);
  return value;
}
