/** The codes are from the SQL standard and PostgreSQL (appendix A of its documentation), or of Node's network. */
import { readErrorCode } from "../../system/file-errors.js";
import type { Refusal, Unavailability } from "./dialect.js";

/** Prefixes of the codes of a database that is temporarily unusable, the operation that fails, and when to retry. */
const unavailableCodes: readonly (readonly [code: string, what: Unavailability["what"], seconds: number])[] =
  [
    // A connection that cannot be made, or was lost.
    ["08", "use", 5],
    ["ECONN", "use", 5],
    ["ETIMEDOUT", "use", 5],
    ["EHOST", "use", 5],
    ["ENET", "use", 5],
    ["ENOTFOUND", "use", 5],
    ["EAI_AGAIN", "use", 5],
    ["EPIPE", "use", 5],
    // The server shuts down or starts.
    ["57P", "use", 5],
    // Too many connections, no memory, a full disk.
    ["53100", "write to", 30],
    ["53", "use", 5],
    // A statement or a lock that took too long.
    ["57014", "use", 5],
    ["55P03", "write to", 1],
    // Serialization failures and deadlocks, after the retries.
    ["40", "write to", 1],
    // A replica, or a database that was made read-only.
    ["25006", "write to", 30],
    ["28", "use", 30],
    ["58", "use", 30],
    ["XX", "use", 30],
  ];

/** Errors of the client library, which have no code. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed)/;

export function postgresUnavailability(thrown: unknown): Unavailability | null {
  const code = readErrorCode(thrown);
  const found = unavailableCodes.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) return { what: found[1], retryAfterSeconds: found[2] };
  const isLost = thrown instanceof Error && lostConnection.test(thrown.message);
  return isLost ? { what: "use", retryAfterSeconds: 5 } : null;
}

/** Whether the same transaction may succeed when it is repeated: a serialization failure or a deadlock. */
export function canBeRepeated(thrown: unknown): boolean {
  return ["40001", "40P01"].includes(readErrorCode(thrown));
}

export function readPostgresRefusal(thrown: unknown): Refusal | null {
  if (!(thrown instanceof Error)) return null;
  switch (readErrorCode(thrown)) {
    case "23505":
      return "unique";
    case "23514":
      return findCheck(thrown);
    // Raised by a trigger.
    case "P0001":
      return thrown.message === "monthly_limit" || thrown.message === "budget" ? thrown.message : null;
    // A text with U+0000, in itself or in JSON, or with half of a surrogate pair.
    case "22021":
    case "22P05":
      return "unstorable_text";
    case "22P02":
      return /input syntax for type json/.test(thrown.message) ? "unstorable_text" : null;
    default:
      return null;
  }
}

function findCheck(thrown: Error): Refusal | null {
  const name = "constraint" in thrown ? thrown.constraint : null;
  return name === "no_overdraft" || name === "countable" ? name : null;
}
