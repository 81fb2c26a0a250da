import { numberAutomaton, type NumberRange } from "../regular/number/number.js";
import { anyNumber, type Check, type NumberShape } from "./language.js";

/** How many numbers may be cut out of a range, each making it two. */
const cutsMax = 16;

const known = new WeakMap<NumberRange, ReturnType<typeof numberAutomaton>>();

/** The texts of the numbers of a shape, each range worked out once. */
export function numbersIn(shape: NumberShape): ReturnType<typeof numberAutomaton> {
  const before = known.get(shape.range);
  if (before !== undefined) return before;
  const made = numberAutomaton(shape.range);
  known.set(shape.range, made);
  return made;
}

/** Whether it can be told without an automaton that no number is in the range, or that some is. */
export function emptyNumbers(shape: NumberShape): boolean {
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
  return numbersIn(shape).automaton === null;
}

/** All numbers but these. */
export function numbersBut(values: readonly number[], at: Check): readonly NumberShape[] {
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
