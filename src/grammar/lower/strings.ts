import {
  AutomatonTooLarge,
  complement,
  difference,
  everyString,
  intersect,
  isEmpty,
  lengthBetween,
  lengthBounds,
  noString,
  texts,
  union,
  type Automaton,
} from "../regular/automaton.js";
import { anyString, joinedChecks, type Check, type StringShape } from "./language.js";

/** The strings with the lengths taken into the automaton where it has states. @throws AutomatonTooLarge */
export function sized(shape: StringShape): StringShape {
  const { automaton, minLength, maxLength } = shape;
  if (isSetRepeated(automaton) || (minLength === 0 && maxLength === null)) return shape;
  const bounds = lengthBounds(automaton);
  const tooShort = bounds.min < minLength;
  const tooLong = maxLength !== null && (bounds.max === null || bounds.max > maxLength);
  const fitting = tooShort || tooLong ? intersect(automaton, lengthBetween(minLength, maxLength)) : automaton;
  return { automaton: fitting, minLength: 0, maxLength: null, checks: shape.checks };
}

/** Whether no string is of this shape. */
export function emptyStrings(shape: StringShape): boolean {
  if (shape.maxLength !== null && shape.minLength > shape.maxLength) return true;
  return shape.automaton !== everyString && isEmpty(shape.automaton);
}

/** Whether the language is any number of characters of one set, which lengths apart from it bound well. */
function isSetRepeated(automaton: Automaton): boolean {
  return automaton.stateCount === 1 && automaton.targets.length > 0;
}

/** The strings that meet a pattern, a format and lengths; what is too large becomes a check. */
export function stringsOf(
  automata: readonly { readonly automaton: Automaton; readonly at: Check }[],
  lengths: { readonly min: number; readonly max: number | null; readonly at: Check },
): StringShape {
  let shape: StringShape = anyString;
  const narrow = (next: StringShape, at: Check): void => {
    try {
      shape = sized({ ...next, checks: shape.checks });
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      shape = { ...shape, checks: joinedChecks(shape.checks, [at]) };
    }
  };
  for (const { automaton, at } of automata) {
    const before = shape.automaton;
    try {
      narrow({ ...shape, automaton: before === everyString ? automaton : intersect(before, automaton) }, at);
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      shape = { ...shape, checks: joinedChecks(shape.checks, [at]) };
    }
  }
  if (lengths.min > 0 || lengths.max !== null)
    narrow({ ...shape, minLength: lengths.min, maxLength: lengths.max }, lengths.at);
  return shape;
}

/** The strings outside an automaton; all of them, and a check, where that is too large. */
export function stringsOutside(automaton: Automaton, at: Check): StringShape {
  try {
    return { ...anyString, automaton: complement(automaton) };
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return { ...anyString, checks: [at] };
  }
}

/** All strings but these. */
export function stringsBut(values: readonly string[], at: Check): StringShape {
  if (values.length === 0) return anyString;
  try {
    return { ...anyString, automaton: difference(everyString, texts(values)) };
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return { ...anyString, checks: [at] };
  }
}

/** One automaton for all shapes and values. @throws AutomatonTooLarge */
export function automatonOf(shapes: readonly StringShape[], values: readonly string[]): Automaton {
  let all = values.length === 0 ? noString : texts(values);
  for (const shape of shapes) {
    const { automaton, minLength, maxLength } = shape;
    const free = minLength === 0 && maxLength === null;
    const one = free ? automaton : intersect(automaton, lengthBetween(minLength, maxLength));
    all = isEmpty(all) ? one : union(all, one);
  }
  return all;
}
