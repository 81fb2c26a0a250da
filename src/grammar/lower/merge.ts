import { AutomatonTooLarge, everyString, intersect } from "../regular/automaton.js";
import { greatest, least } from "../regular/number/decimal.js";
import type { NumberRange } from "../regular/number/number.js";
import {
  anyArray,
  anyInteger,
  anyNumber,
  anyObject,
  anyString,
  anyValue,
  distinctValues,
  mergeChecks,
  type ArrayShape,
  type Check,
  type Language,
  type NumberShape,
  type ObjectShape,
  type StringShape,
} from "./language.js";
import { spend } from "../work.js";
import { withLengthsInAutomaton } from "./strings.js";

/** What the intersection of two shapes costs at least, and of two objects. */
const stepsOfShape = 4;
const stepsOfObject = 20;

/** Emptiness tests for the shapes that an intersection produces. */
export interface Emptiness {
  number(shape: NumberShape): boolean;
  string(shape: StringShape): boolean;
  array(shape: ArrayShape): boolean;
  object(shape: ObjectShape): boolean;
  /** The check to record when the intersection of two string languages is too large. */
  readonly at: Check;
}

/**
 * Returns the intersection of two languages, without shapes that are known to be empty. Its `values` are the
 * union of both sides; the caller knows the schema and removes the invalid ones.
 */
export function intersectLanguages(a: Language, b: Language, empty: Emptiness): Language {
  if (a === anyValue) return b;
  if (b === anyValue) return a;
  return {
    values: distinctValues([...a.values, ...b.values]),
    numbers: product(a.numbers, b.numbers, intersectNumbers, (shape) => empty.number(shape)),
    strings: product(a.strings, b.strings, stringIntersection(empty.at), (shape) => empty.string(shape)),
    arrays: product(a.arrays, b.arrays, intersectArrays, (shape) => empty.array(shape)),
    objects: product(a.objects, b.objects, intersectObjects, (shape) => empty.object(shape)),
  };
}

function product<Shape>(
  left: readonly Shape[],
  right: readonly Shape[],
  both: (a: Shape, b: Shape) => Shape,
  isEmpty: (shape: Shape) => boolean,
): readonly Shape[] {
  const made = new Set<Shape>();
  for (const a of left)
    for (const b of right) {
      spend(stepsOfShape);
      const shape = both(a, b);
      if (shape === a || shape === b || !isEmpty(shape)) made.add(shape);
    }
  return [...made];
}

function intersectNumbers(a: NumberShape, b: NumberShape): NumberShape {
  if (a === anyNumber || a === b) return b;
  if (b === anyNumber) return a;
  if (a === anyInteger && b.range.integer) return b;
  if (b === anyInteger && a.range.integer) return a;
  return { range: intersectRanges(a.range, b.range), checks: mergeChecks(a.checks, b.checks) };
}

function intersectRanges(a: NumberRange, b: NumberRange): NumberRange {
  const minimum = greatest(a.minimum, b.minimum);
  const maximum = least(a.maximum, b.maximum);
  const exclusiveMinimum = greatest(a.exclusiveMinimum, b.exclusiveMinimum);
  const exclusiveMaximum = least(a.exclusiveMaximum, b.exclusiveMaximum);
  const multipleOf = [...new Set([...(a.multipleOf ?? []), ...(b.multipleOf ?? [])])];
  const notMultipleOf = [...new Set([...(a.notMultipleOf ?? []), ...(b.notMultipleOf ?? [])])];
  return {
    integer: a.integer || b.integer,
    notMultipleOf: notMultipleOf.length === 0 ? undefined : notMultipleOf,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    multipleOf: multipleOf.length === 0 ? undefined : multipleOf,
  };
}

function leastOrNull(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/**
 * Returns a function that intersects string shapes. If the automaton is too large, the result is the first
 * shape with a check.
 */
function stringIntersection(at: Check): (a: StringShape, b: StringShape) => StringShape {
  return (a, b) => {
    try {
      return intersectStrings(a, b);
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      return { ...a, checks: mergeChecks(mergeChecks(a.checks, b.checks), [at]) };
    }
  };
}

function intersectStrings(a: StringShape, b: StringShape): StringShape {
  if (a === anyString || a === b) return b;
  if (b === anyString) return a;
  const automaton =
    a.automaton === everyString
      ? b.automaton
      : b.automaton === everyString
        ? a.automaton
        : intersect(a.automaton, b.automaton);
  return withLengthsInAutomaton({
    automaton,
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: leastOrNull(a.maxLength, b.maxLength),
    checks: mergeChecks(a.checks, b.checks),
  });
}

function intersectArrays(a: ArrayShape, b: ArrayShape): ArrayShape {
  if (a === anyArray || a === b) return b;
  if (b === anyArray) return a;
  spend(a.lists.length + b.lists.length + a.contained.length + b.contained.length);
  return {
    lists: [...new Set([...a.lists, ...b.lists])],
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: leastOrNull(a.maxItems, b.maxItems),
    unique: a.unique ?? b.unique,
    contained: [...new Set([...a.contained, ...b.contained])],
    checks: mergeChecks(a.checks, b.checks),
  };
}

function intersectObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  if (a === anyObject || a === b) return b;
  if (b === anyObject) return a;
  spend(stepsOfObject + a.members.length + b.members.length + a.required.size + b.required.size);
  spend(
    a.names.length + b.names.length + a.clauses.length + b.clauses.length + a.some.length + b.some.length,
  );
  return {
    members: [...new Set([...a.members, ...b.members])],
    required: new Set([...a.required, ...b.required]),
    requiredByComplement: new Set([...a.requiredByComplement, ...b.requiredByComplement]),
    names: [...new Set([...a.names, ...b.names])],
    minProperties: Math.max(a.minProperties, b.minProperties),
    maxProperties: leastOrNull(a.maxProperties, b.maxProperties),
    clauses: [...new Set([...a.clauses, ...b.clauses])],
    some: [...new Set([...a.some, ...b.some])],
    checks: mergeChecks(a.checks, b.checks),
  };
}
