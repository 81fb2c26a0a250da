import { HearthError } from "../core/errors.js";
import { noCredits } from "../core/ledger.js";
import type { Ticks } from "../core/money.js";
import { codeOf } from "./failure.js";

/** Codes of a database that cannot be written just now, and when it may be again. */
const retryAfterSeconds: readonly (readonly [code: string, seconds: number])[] = [
  ["SQLITE_BUSY", 1],
  ["SQLITE_LOCKED", 1],
  ["SQLITE_FULL", 30],
  ["SQLITE_IOERR", 30],
  ["SQLITE_READONLY", 30],
];

/**
 * What a write that the books refused, or that the database had no place for, means to whoever asked for it; any other value
 * as it is.
 * @param asked whose credit was to be taken, and how much of it; null where that is not known.
 */
export function refusalOf(thrown: unknown, asked: { teamId: string; ticks: Ticks | null }): unknown {
  const code = codeOf(thrown);
  if (code === "SQLITE_CONSTRAINT_CHECK" && thrown instanceof Error) {
    if (thrown.message.includes("no_overdraft")) return noCredits(asked.teamId, asked.ticks);
    if (thrown.message.includes("countable"))
      return new HearthError("invalid_value", "The team's credit would be more than can be counted.", {
        param: "amount",
      });
  }
  const [, seconds] = retryAfterSeconds.find(([prefix]) => code.startsWith(prefix)) ?? [];
  if (seconds === undefined) return thrown;
  return new HearthError("overloaded", "The server cannot write to its database. Please try again later.", {
    retryAfterSeconds: seconds,
    cause: thrown,
  });
}
