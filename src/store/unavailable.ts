import { HearthError } from "../core/errors.js";
import { codeOf } from "./failure.js";

/** Codes of a database that cannot be used just now, what cannot be done with it, and when it may be again. */
const troubles: readonly (readonly [code: string, what: string, retryAfterSeconds: number])[] = [
  ["SQLITE_BUSY", "write to", 1],
  ["SQLITE_LOCKED", "write to", 1],
  ["SQLITE_FULL", "write to", 30],
  ["SQLITE_READONLY", "write to", 30],
  ["SQLITE_IOERR", "use", 30],
  ["SQLITE_CANTOPEN", "use", 30],
  ["SQLITE_CORRUPT", "use", 30],
  ["SQLITE_NOTADB", "use", 30],
];

/** Does it; what the database fails with, whoever asked can wait for. @throws HearthError `overloaded`, or whatever it throws. */
export function whileUsable<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    throw unavailable(thrown);
  }
}

/** The error of a database that cannot be used just now as an `overloaded`; any other value as it is. */
function unavailable(thrown: unknown): unknown {
  const code = codeOf(thrown);
  const [, what, retryAfterSeconds] = troubles.find(([prefix]) => code.startsWith(prefix)) ?? [];
  if (what === undefined || retryAfterSeconds === undefined) return thrown;
  return new HearthError("overloaded", `The server cannot ${what} its database. Please try again later.`, {
    retryAfterSeconds,
    cause: thrown,
  });
}
