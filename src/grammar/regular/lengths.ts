import { everyCodePoint } from "./ranges.js";
import {
  type Automaton,
  AutomatonTooLarge,
  edgesInto,
  everyString,
  freeze,
  noString,
  statesMax,
} from "./shape.js";

/**
 * Returns the automaton of the texts with `min` to `max` characters; null means no limit. @throws
 * AutomatonTooLarge
 */
export function lengthBetween(min: number, max: number | null): Automaton {
  if (max !== null && max < min) return noString;
  if (min <= 0 && max === null) return everyString;
  const last = max ?? min;
  if (last >= statesMax) throw new AutomatonTooLarge(statesMax);
  const finals: boolean[] = [];
  const edges: number[][] = [];
  for (let length = 0; length <= last; length++) {
    finals.push(length >= min);
    edges.push(edgesInto(everyCodePoint, length + 1));
  }
  edges[last] = max === null ? edgesInto(everyCodePoint, last) : [];
  return freeze({ finals, edges });
}
