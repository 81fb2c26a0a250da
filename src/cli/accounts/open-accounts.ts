/** What the commands of accounts have in common: opening them, wrong usage, several things at once. */
import { InvalidArgumentError, type Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { ago } from "./duration.js";

export interface AccountsIo {
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

/** Does something with the accounts, opened for it alone. */
export type UsingAccounts = <Result>(action: (accounts: OpenAccounts) => Promise<Result>) => Promise<Result>;

/** @param open opens the accounts. */
export function usingAccounts(open: () => Promise<OpenAccounts>): UsingAccounts {
  return async (action) => {
    const accounts = await open();
    try {
      return await action(accounts);
    } finally {
      await accounts.close();
    }
  };
}

/** A value that cannot be used is wrong usage, and ends with code 2. */
export async function asUsage<Result>(command: Command, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "invalid_value")
      return command.error(`error: ${thrown.message}`, { exitCode: 2 });
    throw thrown;
  }
}

/** Does it to each; one that is refused does not stop the others. @throws Error with all refusals. */
export async function toEach(
  references: readonly string[],
  action: (reference: string) => Promise<void>,
): Promise<void> {
  const refusals: string[] = [];
  for (const reference of references) {
    try {
      await action(reference);
    } catch (thrown) {
      if (!(thrown instanceof HearthError)) throw thrown;
      refusals.push(thrown.message);
    }
  }
  if (refusals.length > 0) throw new Error(refusals.join("\n"));
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `30d` from now, or a time as RFC 3339 writes it, in milliseconds since the epoch; or `never`. */
export function timeArgument(clock: Clock): (written: string) => number | "never" {
  return (written) => {
    if (written === "never") return written;
    const [, count = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(written) ?? [];
    const span = unitsMs[unit];
    if (span !== undefined) return clock.now() + Number(count) * span;
    const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN;
    if (Number.isNaN(time))
      throw new InvalidArgumentError("It must be like 30d, 2027-01-31T12:00:00Z, or never.");
    return time;
  };
}

/** A whole number, or `none`. */
export function limitArgument(written: string): number | "none" {
  if (written === "none") return written;
  if (!/^\d{1,16}$/.test(written)) throw new InvalidArgumentError("It must be a whole number, or none.");
  return Number(written);
}

/** A range of addresses, beside those that were given before; `any` takes all of them back. */
export function ipArgument(
  written: string,
  before: readonly string[] | "any" = "any",
): readonly string[] | "any" {
  if (written === "any") return written;
  return before === "any" ? [written] : [...before, written];
}

/** Adds to what an option was given before. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** When a key was last used, as a listing tells it; the minute that it was is all that is known. */
export function lastUse({ lastUseTime }: { readonly lastUseTime: number | null }, now: number): string {
  return lastUseTime === null ? "never" : ago(now - lastUseTime);
}

/** An id begins with the millisecond of its making: 12 digits and a dash tell most apart. */
export function shortId(id: string): string {
  return id.slice(0, 13);
}
