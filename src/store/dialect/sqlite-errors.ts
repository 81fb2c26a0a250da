import { readErrorCode } from "../../system/file-errors.js";
import type { Refusal, Unavailability } from "./dialect.js";

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

export function sqliteUnavailability(thrown: unknown): Unavailability | null {
  const code = readErrorCode(thrown);
  const found = unavailableCodes.find(([prefix]) => code.startsWith(prefix));
  return found === undefined ? null : { what: found[1], retryAfterSeconds: found[2] };
}

export function readSqliteRefusal(thrown: unknown): Refusal | null {
  if (!(thrown instanceof Error)) return null;
  const code = readErrorCode(thrown);
  const found = refusals.find(([of, message]) => of === code && message.test(thrown.message));
  return found?.[2] ?? null;
}
