/** What errors of a database mean: one map for each database. */
import { HearthError } from "../../core/errors.js";
import { readErrorCode } from "../../system/file-errors.js";
import type { Refusal, Unavailability } from "./dialect.js";
import { readPostgresRefusal, postgresUnavailability } from "./postgres-errors.js";

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

/** Prefixes of the codes of a temporarily unusable database, the operation that fails, and when to retry. */
const unavailableCodes: readonly (readonly [code: string, what: Unavailability["what"], seconds: number])[] =
  [
    ["SQLITE_BUSY", "write to", 1],
    ["SQLITE_LOCKED", "write to", 1],
    ["SQLITE_FULL", "write to", 30],
    ["SQLITE_READONLY", "write to", 30],
    ["SQLITE_IOERR", "use", 30],
    ["SQLITE_CANTOPEN", "use", 30],
    ["SQLITE_CORRUPT", "use", 30],
    ["SQLITE_NOTADB", "use", 30],
  ];

/** The name of a check constraint is a part of its message; a trigger's message is what the trigger raises. */
const refusals: readonly (readonly [code: string, message: RegExp, refusal: Refusal])[] = [
  ["SQLITE_CONSTRAINT_UNIQUE", /^/, "unique"],
  ["SQLITE_CONSTRAINT_PRIMARYKEY", /^/, "unique"],
  ["SQLITE_CONSTRAINT_CHECK", /no_overdraft/, "no_overdraft"],
  ["SQLITE_CONSTRAINT_CHECK", /countable/, "countable"],
  ["SQLITE_CONSTRAINT_TRIGGER", /^monthly_limit$/, "monthly_limit"],
  ["SQLITE_CONSTRAINT_TRIGGER", /^budget$/, "budget"],
];

function sqliteUnavailability(thrown: unknown): Unavailability | null {
  const code = readErrorCode(thrown);
  const found = unavailableCodes.find(([prefix]) => code.startsWith(prefix));
  return found === undefined ? null : { what: found[1], retryAfterSeconds: found[2] };
}

function readSqliteRefusal(thrown: unknown): Refusal | null {
  if (!(thrown instanceof Error)) return null;
  const code = readErrorCode(thrown);
  const found = refusals.find(([of, message]) => of === code && message.test(thrown.message));
  return found?.[2] ?? null;
}
