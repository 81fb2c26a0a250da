import { HearthError } from "../core/errors.js";
import { errorCodeOf } from "./failure.js";

/** Error codes of a temporarily unusable database, the operation that fails, and when to retry. */
const unavailableCodes: readonly (readonly [code: string, what: string, retryAfterSeconds: number])[] = [
  ["SQLITE_BUSY", "write to", 1],
  ["SQLITE_LOCKED", "write to", 1],
  ["SQLITE_FULL", "write to", 30],
  ["SQLITE_READONLY", "write to", 30],
  ["SQLITE_IOERR", "use", 30],
  ["SQLITE_CANTOPEN", "use", 30],
  ["SQLITE_CORRUPT", "use", 30],
  ["SQLITE_NOTADB", "use", 30],
];

/** Calls `action`. @throws HearthError `overloaded` when the database is temporarily unusable, else what `action` throws. */
export function mapUnavailable<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    throw unavailable(thrown);
  }
}

/** Turns an error of a temporarily unusable database into `overloaded`; returns any other value unchanged. */
function unavailable(thrown: unknown): unknown {
  const code = errorCodeOf(thrown);
  const [, what, retryAfterSeconds] = unavailableCodes.find(([prefix]) => code.startsWith(prefix)) ?? [];
  if (what === undefined || retryAfterSeconds === undefined) return thrown;
  return new HearthError("overloaded", `The server cannot ${what} its database. Please try again later.`, {
    retryAfterSeconds,
    cause: thrown,
  });
}
