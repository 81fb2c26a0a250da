import {
  AutomatonTooLarge,
  complementAutomaton,
  difference,
  everyString,
  intersect,
  isEmpty,
  lengthBounds,
  noString,
  automatonOfTexts,
  union,
  withLengths,
  type Automaton,
} from "../regular/automaton.js";
import { anyString, mergeChecks, type Check, type StringShape } from "./language.js";

/**
 * Returns the shape with its length bounds merged into the automaton, unless the automaton repeats one
 * character set. @throws AutomatonTooLarge
 */
export function withLengthsInAutomaton(shape: StringShape): StringShape {
  const { automaton, minLength, maxLength } = shape;
  if (isSetRepeated(automaton) || (minLength === 0 && maxLength === null)) return shape;
  const bounds = lengthBounds(automaton);
  const tooShort = bounds.min < minLength;
  const tooLong = maxLength !== null && (bounds.max === null || bounds.max > maxLength);
  const fitting = tooShort || tooLong ? withLengths(automaton, minLength, maxLength) : automaton;
  return { automaton: fitting, minLength: 0, maxLength: null, checks: shape.checks };
}

/** Returns whether no string is of this shape. */
export function isEmptyStringShape(shape: StringShape): boolean {
  if (shape.maxLength !== null && shape.minLength > shape.maxLength) return true;
  return shape.automaton !== everyString && isEmpty(shape.automaton);
}

/**
 * Returns whether the language is the repetition of one character set, whose length bounds the grammar
 * expresses better as a count.
 */
function isSetRepeated(automaton: Automaton): boolean {
  return automaton.stateCount === 1 && automaton.targets.length > 0;
}

/**
 * Returns the strings that match the pattern, the format and the lengths. A constraint that makes the
 * automaton too large becomes a check.
 */
export function toStringShape(
  automata: readonly { readonly automaton: Automaton; readonly at: Check }[],
  lengths: { readonly min: number; readonly max: number | null; readonly at: Check },
): StringShape {
  let shape: StringShape = anyString;
  const narrow = (next: StringShape, at: Check): void => {
    try {
      shape = withLengthsInAutomaton({ ...next, checks: shape.checks });
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      shape = { ...shape, checks: mergeChecks(shape.checks, [at]) };
    }
  };
  for (const { automaton, at } of automata) {
    const before = shape.automaton;
    try {
      narrow({ ...shape, automaton: before === everyString ? automaton : intersect(before, automaton) }, at);
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      shape = { ...shape, checks: mergeChecks(shape.checks, [at]) };
    }
  }
  if (lengths.min > 0 || lengths.max !== null)
    narrow({ ...shape, minLength: lengths.min, maxLength: lengths.max }, lengths.at);
  return shape;
}

/**
 * Returns the strings that the automaton does not accept; if their automaton is too large, all strings with a
 * check.
 */
export function stringComplement(automaton: Automaton, at: Check): StringShape {
  try {
    return { ...anyString, automaton: complementAutomaton(automaton) };
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return { ...anyString, checks: [at] };
  }
}

/** Returns all strings except these. */
export function stringsExcept(values: readonly string[], at: Check): StringShape {
  if (values.length === 0) return anyString;
  try {
    return { ...anyString, automaton: difference(everyString, automatonOfTexts(values)) };
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return { ...anyString, checks: [at] };
  }
}

/** Returns the union of all shapes and values as one automaton. @throws AutomatonTooLarge */
export function uniteStrings(shapes: readonly StringShape[], values: readonly string[]): Automaton {
  let all = values.length === 0 ? noString : automatonOfTexts(values);
  for (const shape of shapes) {
    const { automaton, minLength, maxLength } = shape;
    const free = minLength === 0 && maxLength === null;
    const one = free ? automaton : withLengths(automaton, minLength, maxLength);
    all = isEmpty(all) ? one : union(all, one);
  }
  return all;
}
