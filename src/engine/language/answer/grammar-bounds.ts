/** Bounds of what the grammar of an answer may cost. An answer beyond one of them ends with an error. */
import { HearthError } from "../../../core/errors.js";

/**
 * Stacks of one position. llama.cpp compares each new stack with all others: to accept a character takes it 15 ms at 700 stacks, 150 ms
 * at 2,200 and 1.2 s at 6,600 (measured). A schema may have 5,000 properties, all of which may come next.
 */
export const stacksMax = 6_000;

/** The message of the error that native/grammar-work.c throws in llama.cpp when one token takes too much CPU time. */
const exceeded = "hearth: a grammar takes too long for one token";

/** Thrown where a grammar has more than `stacksMax` stacks. */
export class GrammarTooWide extends Error {}

/** Returns whether an error says that a grammar exceeds a bound. */
export function isBeyondBound(thrown: unknown): boolean {
  return thrown instanceof GrammarTooWide || (thrown instanceof Error && thrown.message.includes(exceeded));
}

/**
 * Returns the error of an answer whose grammar exceeds a bound.
 * @param place JSON pointer to where the answer is; null where it has not begun, or is no JSON
 * @param isCall whether the grammar describes a tool call
 */
export function createBoundError(place: string | null, isCall: boolean): HearthError {
  const [schema, where] = isCall ? ["tool's schema", "call"] : ["schema", "answer"];
  const at = place === null ? `at the beginning of the ${where}` : `at '${place}' of the ${where}`;
  const message = `The ${schema} allows too many ways to read the text ${at}: its alternatives begin alike and differ later. Put the property that tells them apart first, with a const.`;
  return new HearthError("invalid_value", message, {
    param: isCall ? "tools" : null,
    code: "invalid_schema",
  });
}
