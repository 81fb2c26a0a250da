import { numberAutomaton, type NumberRange } from "../regular/number/number.js";
import { anyNumber, type Check, type NumberShape } from "./language.js";

/** The number of values that can be excluded from a range; each splits a range into two. */
const cutsMax = 16;

const cache = new WeakMap<NumberRange, ReturnType<typeof numberAutomaton>>();

/** Returns the automaton of the JSON texts of a number shape, memoized per range. */
export function numberTexts(shape: NumberShape): ReturnType<typeof numberAutomaton> {
  const before = cache.get(shape.range);
  if (before !== undefined) return before;
  const made = numberAutomaton(shape.range);
  cache.set(shape.range, made);
  return made;
}

/**
 * Returns whether a number shape is empty. Builds an automaton only for bounded ranges of integers or
 * multiples.
 */
export function isEmptyNumberShape(shape: NumberShape): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, integer } = shape.range;
  const low = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  const high = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
  if (low > high) return true;
  if (low === high) {
    if (low === exclusiveMinimum || high === exclusiveMaximum) return true;
    if (integer && !Number.isInteger(low)) return true;
  }
  if (!integer && multipleOf === undefined) return false;
  if (low === -Infinity || high === Infinity) return false;
  return numberTexts(shape).automaton === null;
}

/** Returns all numbers except these. */
export function numbersExcept(values: readonly number[], at: Check): readonly NumberShape[] {
  if (values.length === 0) return [anyNumber];
  if (values.length > cutsMax) return [{ ...anyNumber, checks: [at] }];
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const ranges: NumberRange[] = [];
  let after: number | undefined;
  for (const value of sorted) {
    ranges.push({
      integer: false,
      exclusiveMaximum: value,
      ...(after === undefined ? {} : { exclusiveMinimum: after }),
    });
    after = value;
  }
  ranges.push({ integer: false, ...(after === undefined ? {} : { exclusiveMinimum: after }) });
  return ranges.map((range) => ({ range, checks: [] }));
}
