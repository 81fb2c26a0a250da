/**
 * Amounts of the billing endpoints: whole cents of a US dollar, as strings. The ledger is more precise; rounding never overstates
 * credit or understates spending.
 */
import { z } from "zod";
import { ticksToUsd, type Ticks } from "../../../core/money.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { wholeNumber } from "../../../dialects/management/fields.js";

export const centsText = z.string().describe("Cents of a US dollar: a whole number, as a string.");

export const cents = responseObject({ val: centsText }).meta({ id: "Cents" });

/** An amount in a request. */
export const centsRequest = z.object({ val: wholeNumber("Cents of a US dollar.") });

const ticksPerCent = 100_000_000n;

/** Converts ticks to cents, rounded up. */
export function centsUp(ticks: bigint): string {
  return String(ticks / ticksPerCent + (ticks % ticksPerCent > 0n ? 1n : 0n));
}

/**
 * Converts amounts to cents that sum to the rounded sum of the amounts: the difference between the rounded sums up to and before each
 * amount. Each is less than one cent from its exact value.
 */
export function centsOfEach(amounts: readonly bigint[]): readonly string[] {
  let exact = 0n;
  return amounts.map((ticks) => {
    const before = BigInt(centsUp(exact));
    exact += ticks;
    return String(BigInt(centsUp(exact)) - before);
  });
}

/** Converts a limit to cents, rounded down; undefined if there is no limit. */
export function centsDown(ticks: Ticks | null): z.infer<typeof cents> | undefined {
  return ticks === null ? undefined : { val: String(BigInt(ticks) / ticksPerCent) };
}

/** Converts cents to US dollars in decimal notation. */
export function usdOfCents({ val }: z.infer<typeof centsRequest>): string {
  return ticksToUsd(BigInt(val) * ticksPerCent);
}
