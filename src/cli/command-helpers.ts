/** Helpers that the account commands share: reaching the interface of the operator, reporting wrong usage, parsing arguments. */
import { InvalidArgumentError, type Command } from "commander";
import type { Operator } from "../app/operator/open.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { OperatorClient } from "./operator.js";
import type { Printed } from "./listing.js";
import { idCharsMin } from "./table.js";
import type { TextOut } from "./terminal.js";
import { ago } from "./duration.js";

export interface AccountsIo extends Printed {
  readonly clock: Clock;
  /** For exports, which are exact; absent: `out`. */
  readonly data?: TextOut;
}

/** Opens the interface of the operator, runs an action with it and closes it. */
export type UsingOperator = <Result>(action: (api: OperatorClient) => Promise<Result>) => Promise<Result>;

/** @param parse reads answers, as `OperatorClient` does */
export function operatorOpener(
  open: () => Promise<Operator>,
  parse?: (json: string) => unknown,
): UsingOperator {
  return async (action) => {
    const operator = await open();
    try {
      return await action(new OperatorClient(operator, parse));
    } finally {
      await operator.close();
    }
  };
}

/** Runs an action and reports an invalid value as wrong usage, with exit code 2. */
export async function reportInvalidValues<Result>(
  command: Command,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "invalid_value")
      return command.error(`error: ${thrown.message}`, { exitCode: 2 });
    throw thrown;
  }
}

/** Applies an action to each reference; a failure does not stop the others. @throws Error with the messages of all failures. */
export async function forEachReference(
  references: readonly string[],
  action: (reference: string) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  for (const reference of references) {
    try {
      await action(reference);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const isUnclear =
        thrown instanceof HearthError && thrown.kind === "not_found" && !message.includes(reference);
      failures.push(isUnclear ? `${reference}: ${message}` : message);
    }
  }
  // A server that is gone fails all of them alike.
  if (failures.length > 0) throw new Error([...new Set(failures)].join("\n"));
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses `30d` (from now), an RFC 3339 time, or `never`. Times are milliseconds since the epoch. */
export function timeArgument(clock: Clock): (written: string) => number | "never" {
  return (written) => {
    const time = written === "never" ? written : parseTime(written, (ms) => clock.now() + ms);
    if (time !== null) return time;
    throw new InvalidArgumentError("It must be like 30d, 2027-01-31T12:00:00Z, or never.");
  };
}

/** Parses `2h` (ago) or an RFC 3339 time to milliseconds since the epoch. */
export function timeAgoArgument(clock: Clock): (written: string) => number {
  return (written) => {
    const time = parseTime(written, (ms) => clock.now() - ms);
    if (time !== null) return time;
    throw new InvalidArgumentError("It must be like 2h or 2027-01-31T12:00:00Z.");
  };
}

/** @param fromNow returns the time of a span from now, in milliseconds */
function parseTime(written: string, fromNow: (ms: number) => number): number | null {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(written) ?? [];
  const unitMs = unitsMs[unit];
  if (unitMs !== undefined) return fromNow(Number(count) * unitMs);
  const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Parses a whole number or `none`. */
export function limitArgument(written: string): number | "none" {
  if (written === "none") return written;
  if (!/^\d{1,16}$/.test(written)) throw new InvalidArgumentError("It must be a whole number, or none.");
  return Number(written);
}

/** Adds an address range to the ranges of earlier occurrences of the option; `any` discards them. */
export function ipArgument(
  written: string,
  before: readonly string[] | "any" = "any",
): readonly string[] | "any" {
  if (written === "any") return written;
  return before === "any" ? [written] : [...before, written];
}

/** Collects the values of a repeated option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Formats how long ago a time was. */
export function formatAge(time: string, now: number): string {
  return ago(now - Date.parse(time));
}

/** Formats when a key was last used. The stored time is exact to the minute. */
export function formatLastUse(lastUseTime: string | undefined, now: number): string {
  return lastUseTime === undefined ? "never" : formatAge(lastUseTime, now);
}

/** Returns a word of a command line as a shell reads it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the beginning of an id: its creation time in milliseconds, which distinguishes most ids. */
export function shortId(id: string): string {
  return id.slice(0, idCharsMin);
}
