/** What errors of the database mean. */
import { HearthError } from "../../core/errors.js";
import type { Refusal } from "./dialect.js";
import { sqliteRefusalOf, sqliteUnavailability } from "./sqlite-errors.js";

export type { Refusal } from "./dialect.js";

/** Returns why the schema has refused a write; null for any other error. */
export function refusalOf(thrown: unknown): Refusal | null {
  return sqliteRefusalOf(thrown);
}

/** Calls `action`. @throws HearthError `overloaded` when the database is temporarily unusable, else what `action` throws. */
export function mapUnavailable<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    throw toUnavailable(thrown);
  }
}

/** Turns an error of a temporarily unusable database into `overloaded`; returns any other value unchanged. */
function toUnavailable(thrown: unknown): unknown {
  const found = sqliteUnavailability(thrown);
  if (found === null) return thrown;
  const { what, retryAfterSeconds } = found;
  return new HearthError("overloaded", `The server cannot ${what} its database. Please try again later.`, {
    retryAfterSeconds,
    cause: thrown,
  });
}
