/**
 * Which cases the random and the exhaustive tests try. They try the same ones in every run, so that a change is what makes one fail;
 * TEST_SEED=number tries others. The nightly size of the check tries all of them, the others an eighth.
 */
import fc from "fast-check";
import { isNightly } from "../sizes.js";

const seed = Number(process.env["TEST_SEED"] ?? 1);
if (!Number.isInteger(seed)) throw new Error("TEST_SEED must be a whole number");
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

const part = isNightly(process.env) ? 1 : 8;

/** Returns how many of so many cases to run; at least 1. */
export function casesOf(all: number): number {
  return Math.ceil(all / part);
}

/** Returns the cases to run: every eighth from `offset` on, so that rows with different offsets together run all. */
export function someOf<T>(all: readonly T[], offset: number): readonly T[] {
  return all.filter((_, index) => index % part === offset % part);
}
