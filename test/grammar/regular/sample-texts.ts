import { type Automaton } from "../../../src/grammar/regular/automaton.js";

/** Returns texts of an automaton from random walks; a walk that becomes too long is abandoned. */
export function sampleTexts(automaton: Automaton, random: () => number, count: number): string[] {
  const found: string[] = [];
  for (let i = 0; i < count; i++) {
    const text = walk(automaton, random);
    if (text !== null) found.push(text);
  }
  return found;
}

function walk({ finals, offsets, lows, highs, targets }: Automaton, random: () => number): string | null {
  let text = "";
  for (let state = 0; text.length < 500;) {
    const first = offsets[state] ?? 0;
    const edges = (offsets[state + 1] ?? 0) - first;
    if (finals[state] === 1 && (edges === 0 || random() < 0.2)) return text;
    if (edges === 0) return null;
    const edge = first + Math.floor(random() * edges);
    const low = lows[edge] ?? 0;
    text += String.fromCodePoint(low + Math.floor(random() * ((highs[edge] ?? 0) - low + 1)));
    state = targets[edge] ?? 0;
  }
  return null;
}
