/**
 * Property tests draw the same cases in every run, so that a change is what makes one fail. TEST_SEED=number draws others:
 * the way to look for what nobody has met yet.
 */
import fc from "fast-check";

const seed = Number(process.env["TEST_SEED"] ?? 1);
if (!Number.isInteger(seed)) throw new Error("TEST_SEED must be a whole number");
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
