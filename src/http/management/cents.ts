/**
 * Money of the billing routes: whole cents of a US dollar, as texts. The ledger is finer than that; what lies between two cents is
 * rounded so that credit never looks larger, and spending never smaller, than it is.
 */
import { z } from "zod";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { shape } from "../../dialects/shape.js";
import { whole } from "./fields.js";

export const centsText = z.string().describe("Cents of a US dollar: a whole number, as a text.");

export const cents = shape({ val: centsText }).meta({ id: "Cents" });

/** Cents in a request. */
export const centsWish = z.object({ val: whole("Cents of a US dollar.") });

const ticksPerCent = 100_000_000n;

/** Rounded up. */
export function centsUp(ticks: bigint): string {
  return String(ticks / ticksPerCent + (ticks % ticksPerCent > 0n ? 1n : 0n));
}

/** Rounded down, as limits are; undefined where there is none. */
export function limitCents(ticks: Ticks | null): z.infer<typeof cents> | undefined {
  return ticks === null ? undefined : { val: String(BigInt(ticks) / ticksPerCent) };
}

/** As the accounts take amounts. */
export function usdOfCents({ val }: z.infer<typeof centsWish>): string {
  return ticksToUsd(BigInt(val) * ticksPerCent);
}
