/**
 * Regular languages over Unicode code points: minimal deterministic automata, membership, set operations and
 * length bounds. Lengths are in code points; a text with a lone surrogate is in no language.
 */
import { type Automaton, AutomatonTooLarge, everyString, noString } from "./shape.js";

export { complementAutomaton, concat, difference, intersect, union, withLengths } from "./combine.js";
export { lengthBetween } from "./lengths.js";
export { automatonOfTexts, listTexts } from "./texts.js";
export { type Automaton, AutomatonTooLarge, everyString, noString };

/** Returns whether the automaton accepts the text, in time linear in the text. */
export function accepts(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    if (codePoint > 0xffff) i++;
    state = next(automaton, state, codePoint);
    if (state < 0) return false;
  }
  return automaton.finals[state] === 1;
}

/** @returns the state after this code point, or -1 if there is none */
function next(automaton: Automaton, state: number, codePoint: number): number {
  let from = automaton.offsets[state] ?? 0;
  let to = (automaton.offsets[state + 1] ?? 0) - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    if (codePoint < (automaton.lows[middle] ?? 0)) to = middle - 1;
    else if (codePoint > (automaton.highs[middle] ?? 0)) from = middle + 1;
    else return automaton.targets[middle] ?? -1;
  }
  return -1;
}

/** Returns whether the language is empty. */
export function isEmpty(automaton: Automaton): boolean {
  return automaton.finals[0] === 0 && automaton.targets.length === 0;
}

/** Returns whether the language is finite. */
export function isFinite(automaton: Automaton): boolean {
  return longest(automaton) !== null;
}

/** Returns whether both languages are equal. Minimal automata of equal languages are identical. */
export function equal(a: Automaton, b: Automaton): boolean {
  return (
    a === b ||
    (a.stateCount === b.stateCount &&
      a.targets.length === b.targets.length &&
      same(a.finals, b.finals) &&
      same(a.offsets, b.offsets) &&
      same(a.lows, b.lows) &&
      same(a.highs, b.highs) &&
      same(a.targets, b.targets))
  );
}

function same(a: Int32Array | Uint8Array, b: Int32Array | Uint8Array): boolean {
  return a.every((value, i) => value === b[i]);
}

/**
 * Returns the lengths of the shortest and the longest text; `max` is null if unbounded. The empty language
 * has 0 and 0.
 */
export function lengthBounds(automaton: Automaton): { min: number; max: number | null } {
  return { min: isEmpty(automaton) ? 0 : shortest(automaton), max: longest(automaton) };
}

function shortest(automaton: Automaton): number {
  const depths = [0];
  const walk = [0];
  for (const state of walk) {
    if (automaton.finals[state] === 1) return depths[state] ?? 0;
    for (let i = automaton.offsets[state] ?? 0; i < (automaton.offsets[state + 1] ?? 0); i++) {
      const target = automaton.targets[i] ?? 0;
      if (depths[target] !== undefined) continue;
      depths[target] = (depths[state] ?? 0) + 1;
      walk.push(target);
    }
  }
  return 0;
}

/**
 * Returns the length of the longest text, or null. Every state reaches an accepting state, so a cycle means
 * that there is no longest text.
 */
function longest(automaton: Automaton): number | null {
  const incoming = new Int32Array(automaton.stateCount);
  for (const target of automaton.targets) incoming[target] = (incoming[target] ?? 0) + 1;
  const depths = new Int32Array(automaton.stateCount);
  const free = incoming[0] === 0 ? [0] : [];
  let max = 0;
  for (const state of free) {
    for (let i = automaton.offsets[state] ?? 0; i < (automaton.offsets[state + 1] ?? 0); i++) {
      const target = automaton.targets[i] ?? 0;
      depths[target] = Math.max(depths[target] ?? 0, (depths[state] ?? 0) + 1);
      incoming[target] = (incoming[target] ?? 0) - 1;
      if (incoming[target] === 0) free.push(target);
      max = Math.max(max, depths[target] ?? 0);
    }
  }
  return free.length === automaton.stateCount ? max : null;
}
