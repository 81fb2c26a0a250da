import { literal, type RuleBook } from "../gbnf.js";
import { characterClass, escapeRest, type JsonForms, jsonForms } from "./classes.js";
import { components } from "./components.js";
import { type Ranges, sizeOf } from "./ranges.js";
import { type Automaton } from "./shape.js";

/** How a text stands in the grammar: as it is, or as what follows the opening quote of a JSON string. */
export type Writing = "raw" | "json";

/** A sequence of terms: a literal to be quoted, then GBNF. */
interface Sequence {
  readonly literal: string;
  readonly rest: string;
}

/** A short sequence is written out at every place that it is used, instead of being a rule. */
const inlineLengthMax = 12;

/** @returns a rule for the texts of the automaton, in JSON with the closing quote @throws GrammarTooLarge */
export function emitStates(automaton: Automaton, writing: Writing, rules: RuleBook): string {
  const ways = waysOf(automaton, writing);
  const uses = usesOf(ways);
  const end: Sequence = { literal: writing === "json" ? '"' : "", rest: "" };
  const sequences: Sequence[] = [];
  for (const { states, cyclic } of components(automaton)) {
    if (cyclic) for (const state of states) sequences[state] = { literal: "", rest: rules.reserve() };
    for (const state of states) {
      const alternatives = alternativesOf(ways[state] ?? [], sequences, rules);
      if (automaton.finals[state] === 1) alternatives.unshift(end);
      const [only, second] = alternatives;
      const reserved = sequences[state];
      if (reserved !== undefined) rules.define(reserved.rest, alternatives.map(written).join(" | "));
      else if (only !== undefined && second === undefined && (uses[state] === 1 || isShort(only))) {
        sequences[state] = only;
      } else sequences[state] = { literal: "", rest: rules.add(alternatives.map(written).join(" | ")) };
    }
  }
  return rules.named(written(sequences[0] ?? nothing));
}

function isShort(sequence: Sequence): boolean {
  return sequence.literal.length + sequence.rest.length <= inlineLengthMax;
}

function written({ literal: text, rest }: Sequence): string {
  if (text === "") return rest === "" ? '""' : rest;
  return rest === "" ? literal(text) : `${literal(text)} ${rest}`;
}

function then(terms: string, sequence: Sequence): Sequence {
  const rest = written(sequence);
  return { literal: "", rest: rest === '""' ? terms : `${terms} ${rest}` };
}

/** What leads from a state to one other state, as it is written. */
interface Way {
  readonly target: number;
  readonly forms: JsonForms;
}

function waysOf(automaton: Automaton, writing: Writing): Way[][] {
  const { stateCount, offsets, lows, highs, targets } = automaton;
  const ways: Way[][] = [];
  for (let state = 0; state < stateCount; state++) {
    const sets = new Map<number, number[]>();
    for (let i = offsets[state] ?? 0; i < (offsets[state + 1] ?? 0); i++) {
      const set = sets.get(targets[i] ?? 0);
      if (set === undefined) sets.set(targets[i] ?? 0, [lows[i] ?? 0, highs[i] ?? 0]);
      else set.push(lows[i] ?? 0, highs[i] ?? 0);
    }
    const found: Way[] = [];
    for (const [target, set] of sets) found.push({ target, forms: formsOf(set, writing) });
    ways.push(found);
  }
  return ways;
}

function formsOf(set: Ranges, writing: Writing): JsonForms {
  return writing === "json" ? jsonForms(set) : { raw: set, letters: [], codes: [] };
}

function isEscaped({ letters, codes }: JsonForms): boolean {
  return letters.length + codes.length > 0;
}

/** How often each state will be written down: a set that JSON partly escapes takes two alternatives. */
function usesOf(ways: readonly Way[][]): number[] {
  const uses = ways.map(() => 0);
  for (const found of ways) {
    for (const { target, forms } of found) {
      uses[target] = (uses[target] ?? 0) + (forms.raw.length > 0 && isEscaped(forms) ? 2 : 1);
    }
  }
  return uses;
}

const nothing: Sequence = { literal: "", rest: "" };

function alternativesOf(ways: readonly Way[], sequences: readonly Sequence[], rules: RuleBook): Sequence[] {
  const raw = ways.filter(({ forms }) => forms.raw.length > 0);
  if (raw.length > 1) raw.sort((a, b) => sizeOf(a.forms.raw) - sizeOf(b.forms.raw));
  return [
    ...escapesOf(ways, sequences, rules),
    ...raw.map(({ forms, target }) => one(forms.raw, sequences[target] ?? nothing, rules)),
  ];
}

function one(set: Ranges, after: Sequence, rules: RuleBook): Sequence {
  const [low, high] = set;
  if (low !== undefined && low === high && set.length === 2) {
    return { literal: String.fromCodePoint(low) + after.literal, rest: after.rest };
  }
  return then(characterClass(set, rules), after);
}

/** At most one alternative for all that is escaped, so that a backslash is met once. */
function escapesOf(ways: readonly Way[], sequences: readonly Sequence[], rules: RuleBook): Sequence[] {
  const escaped: Sequence[] = [];
  for (const { target, forms } of ways) {
    if (!isEscaped(forms)) continue;
    const { letters, codes } = forms;
    const after = sequences[target] ?? nothing;
    const [letter] = letters;
    if (letter !== undefined && letters.length === 1 && codes.length === 0) {
      escaped.push({ literal: letter + after.literal, rest: after.rest });
    } else escaped.push(then(escapeRest(letters, codes, rules), after));
  }
  const [only, second] = escaped;
  if (only === undefined) return [];
  if (second === undefined) return [{ literal: `\\${only.literal}`, rest: only.rest }];
  return [{ literal: "\\", rest: rules.add(escaped.map(written).join(" | ")) }];
}
