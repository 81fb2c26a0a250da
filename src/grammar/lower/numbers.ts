import { compareNumbers, greatest, isInteger, least, type JsonNumber } from "../regular/number/decimal.js";
import { numberAutomaton, type NumberRange } from "../regular/number/number.js";
import { toDivisor } from "../regular/number/multiples.js";
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

/** Returns the keywords that the texts of a number shape do not enforce. @param pointer the place of its schema */
export function checksOfNumber(shape: NumberShape, pointer: string): readonly Check[] {
  if (numberTexts(shape).exact) return shape.checks;
  const { multipleOf, notMultipleOf } = shape.range;
  const keyword = (multipleOf ?? notMultipleOf) === undefined ? "type" : "multipleOf";
  return [...shape.checks, { keyword, pointer }];
}

/**
 * Returns whether a number shape is empty. Builds an automaton only for bounded ranges of integers or
 * multiples.
 */
export function isEmptyNumberShape(shape: NumberShape): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, notMultipleOf, integer } =
    shape.range;
  if (excludesAllMultiples(shape.range)) return true;
  const low = greatest(minimum, exclusiveMinimum);
  const high = least(maximum, exclusiveMaximum);
  if (low === undefined || high === undefined) return false;
  const order = compareNumbers(low, high);
  if (order > 0) return true;
  if (order === 0) {
    const excludes = (bound: JsonNumber | undefined): boolean =>
      bound !== undefined && compareNumbers(bound, low) === 0;
    if (excludes(exclusiveMinimum) || excludes(exclusiveMaximum)) return true;
    if (integer && !isInteger(low)) return true;
  }
  const isInterval = !integer && multipleOf === undefined;
  if (isInterval && (order < 0 || notMultipleOf === undefined)) return false;
  return numberTexts(shape).automaton === null;
}

/** Returns whether all that the range allows are multiples of a number that it excludes. */
function excludesAllMultiples({ integer, multipleOf = [], notMultipleOf = [] }: NumberRange): boolean {
  const divisors = integer ? [...multipleOf, 1] : multipleOf;
  if (divisors.length === 0 || notMultipleOf.length === 0) return false;
  const own = toDivisor(divisors);
  return notMultipleOf.some((excluded) => {
    const common = toDivisor([...divisors, excluded]);
    if (own === null || common === null) return false;
    return own.divisor * 10 ** (common.scale - own.scale) === common.divisor;
  });
}

/** Returns all numbers except these. */
export function numbersExcept(values: readonly JsonNumber[], at: Check): readonly NumberShape[] {
  if (values.length === 0) return [anyNumber];
  if (values.length > cutsMax) return [{ ...anyNumber, checks: [at] }];
  const sorted = values
    .toSorted(compareNumbers)
    .filter((value, index, all) => index === 0 || compareNumbers(value, all[index - 1] ?? NaN) !== 0);
  const ranges: NumberRange[] = [];
  let after: JsonNumber | undefined;
  for (const value of sorted) {
    ranges.push({
      integer: false,
      exclusiveMaximum: value,
      exclusiveMinimum: after,
    });
    after = value;
  }
  ranges.push({ integer: false, exclusiveMinimum: after });
  return ranges.map((range) => ({ range, checks: [] }));
}
