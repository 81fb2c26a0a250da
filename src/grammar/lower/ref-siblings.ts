/** The siblings of a reference in the drafts up to 7, which ignore them. */
import {
  anyArray,
  anyNumber,
  anyObject,
  anyString,
  hasNoShape,
  type Language,
  type ObjectShape,
} from "./language.js";

/**
 * Returns whether the siblings of a reference contradict it: where nothing satisfies both, where they leave only types about which the
 * reference says nothing, and where they close an object to all the keys that the reference declares.
 * @param both the values that satisfy the reference and its siblings
 */
export function contradictsReference(both: Language, target: Language): boolean {
  return hasNoShape(both) || lacksDescribedTypes(both, target) || forbidsDeclaredKeys(both, target);
}

/** Only for a reference that allows every type: one that lists types describes each of them. */
function lacksDescribedTypes(both: Language, target: Language): boolean {
  const isFree = [
    target.numbers.includes(anyNumber),
    target.strings.includes(anyString),
    target.arrays.includes(anyArray),
    target.objects.includes(anyObject),
  ];
  const allowed = [target.numbers, target.strings, target.arrays, target.objects];
  const left = [both.numbers, both.strings, both.arrays, both.objects];
  const described = left.filter((_, kind) => isFree[kind] === false);
  const allowsEveryType = target.values.length >= 3 && allowed.every((shapes) => shapes.length > 0);
  return allowsEveryType && described.length > 0 && described.every((shapes) => shapes.length === 0);
}

function forbidsDeclaredKeys(both: Language, target: Language): boolean {
  const declares = ({ members }: ObjectShape): boolean =>
    members.some(({ properties, patterns }) => properties.size + patterns.length > 0);
  return (
    both.objects.length > 0 &&
    both.objects.every(forbidsAllKeys) &&
    target.objects.some((shape) => declares(shape) && !forbidsAllKeys(shape))
  );
}

function forbidsAllKeys({ members }: ObjectShape): boolean {
  return members.some(
    ({ properties, patterns, additional }) =>
      additional?.never === true && properties.size + patterns.length === 0,
  );
}
