/** What errors of a database mean: one map for each database. */
import { HearthError } from "../../core/errors.js";
import { readErrorCode } from "../../system/file-errors.js";
import type { Refusal } from "./dialect.js";
import { readPostgresRefusal, postgresUnavailability } from "./postgres-errors.js";
import { readSqliteRefusal, sqliteUnavailability } from "./sqlite-errors.js";

export type { Refusal } from "./dialect.js";

/** Returns why the schema has refused a write; null for any other error. */
export function readRefusal(thrown: unknown): Refusal | null {
  return isOfSqlite(thrown) ? readSqliteRefusal(thrown) : readPostgresRefusal(thrown);
}

/** Calls `action`. @throws HearthError `overloaded` when the database is temporarily unusable, else what `action` throws. */
export function mapUnavailable<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    throw toUnavailable(thrown);
  }
}

/**
 * Turns an error of a temporarily unusable database into `overloaded`, and a text that it cannot store into `invalid_value`; returns any
 * other value unchanged.
 */
export function toUnavailable(thrown: unknown): unknown {
  if (readRefusal(thrown) === "unstorable_text")
    return new HearthError(
      "invalid_value",
      "A text has a character that the server cannot store: U+0000, or half of a surrogate pair.",
      {
        cause: thrown,
      },
    );
  const found = isOfSqlite(thrown) ? sqliteUnavailability(thrown) : postgresUnavailability(thrown);
  if (found === null) return thrown;
  const { what, retryAfterSeconds } = found;
  return new HearthError("overloaded", `The server cannot ${what} its database. Please try again later.`, {
    retryAfterSeconds,
    cause: thrown,
  });
}

function isOfSqlite(thrown: unknown): boolean {
  return readErrorCode(thrown).startsWith("SQLITE_");
}
