import { spend } from "../work.js";
import { literal, type RuleSet } from "../gbnf.js";
import { characterClass, escapeRest, type JsonForms, jsonForms } from "./classes.js";
import { type Ranges, countCodePoints } from "./ranges.js";
import type { Automaton } from "./shape.js";

/** The form of a text in the grammar: unchanged, or as the part of a JSON string after its opening quote. */
type TextForm = "raw" | "json";

/** A sequence: a literal that is still unquoted, then GBNF. */
interface Sequence {
  readonly literal: string;
  readonly rest: string;
}

/** A rule is a text that is built and looked up, which costs several steps. */
const stepsOfState = 10;

/** A sequence up to this length is written inline at every use instead of becoming a rule. */
const inlineLengthMax = 12;

/**
 * @returns the name of a rule for the texts of the automaton; in JSON form with the closing quote @throws
 * GrammarTooLarge
 */
export function emitStates(automaton: Automaton, writing: TextForm, rules: RuleSet): string {
  const transitions = listTransitions(automaton, writing);
  const uses = countUses(transitions);
  const end: Sequence = { literal: writing === "json" ? '"' : "", rest: "" };
  const sequences: Sequence[] = [];
  for (const { states, cyclic } of components(automaton)) {
    if (cyclic) for (const state of states) sequences[state] = { literal: "", rest: rules.reserve() };
    for (const state of states) {
      spend(stepsOfState * (1 + (transitions[state]?.length ?? 0)));
      const alternatives = listAlternatives(transitions[state] ?? [], sequences, rules);
      if (automaton.finals[state] === 1) alternatives.unshift(end);
      const [only, second] = alternatives;
      const reserved = sequences[state];
      if (reserved !== undefined) rules.define(reserved.rest, alternatives.map(sequenceText).join(" | "));
      else if (only !== undefined && second === undefined && (uses[state] === 1 || isShort(only))) {
        sequences[state] = only;
      } else sequences[state] = { literal: "", rest: rules.add(alternatives.map(sequenceText).join(" | ")) };
    }
  }
  return rules.toName(sequenceText(sequences[0] ?? emptySequence));
}

function isShort(sequence: Sequence): boolean {
  return sequence.literal.length + sequence.rest.length <= inlineLengthMax;
}

function sequenceText({ literal: text, rest }: Sequence): string {
  if (text === "") return rest === "" ? '""' : rest;
  return rest === "" ? literal(text) : `${literal(text)} ${rest}`;
}

function prepend(terms: string, sequence: Sequence): Sequence {
  const rest = sequenceText(sequence);
  return { literal: "", rest: rest === '""' ? terms : `${terms} ${rest}` };
}

/** All characters that lead from a state to one other state, in the forms in which they are written. */
interface Transition {
  readonly target: number;
  readonly forms: JsonForms;
}

function listTransitions(automaton: Automaton, writing: TextForm): Transition[][] {
  const { stateCount, offsets, lows, highs, targets } = automaton;
  const transitions: Transition[][] = [];
  for (let state = 0; state < stateCount; state++) {
    const sets = new Map<number, number[]>();
    for (let i = offsets[state] ?? 0; i < (offsets[state + 1] ?? 0); i++) {
      const set = sets.get(targets[i] ?? 0);
      if (set === undefined) sets.set(targets[i] ?? 0, [lows[i] ?? 0, highs[i] ?? 0]);
      else set.push(lows[i] ?? 0, highs[i] ?? 0);
    }
    const found: Transition[] = [];
    for (const [target, set] of sets) found.push({ target, forms: splitForms(set, writing) });
    transitions.push(found);
  }
  return transitions;
}

function splitForms(set: Ranges, writing: TextForm): JsonForms {
  return writing === "json" ? jsonForms(set) : { raw: set, letters: [], codes: [] };
}

function isEscaped({ letters, codes }: JsonForms): boolean {
  return letters.length + codes.length > 0;
}

/** Counts how often each state is used. A set that JSON escapes in part uses its target twice. */
function countUses(transitions: readonly Transition[][]): number[] {
  const uses = transitions.map(() => 0);
  for (const found of transitions) {
    for (const { target, forms } of found) {
      uses[target] = (uses[target] ?? 0) + (forms.raw.length > 0 && isEscaped(forms) ? 2 : 1);
    }
  }
  return uses;
}

const emptySequence: Sequence = { literal: "", rest: "" };

function listAlternatives(
  transitions: readonly Transition[],
  sequences: readonly Sequence[],
  rules: RuleSet,
): Sequence[] {
  const raw = transitions.filter(({ forms }) => forms.raw.length > 0);
  if (raw.length > 1) raw.sort((a, b) => countCodePoints(a.forms.raw) - countCodePoints(b.forms.raw));
  return [
    ...listEscapes(transitions, sequences, rules),
    ...raw.map(({ forms, target }) => characterThen(forms.raw, sequences[target] ?? emptySequence, rules)),
  ];
}

function characterThen(set: Ranges, after: Sequence, rules: RuleSet): Sequence {
  const [low, high] = set;
  if (low !== undefined && low === high && set.length === 2) {
    return { literal: String.fromCodePoint(low) + after.literal, rest: after.rest };
  }
  return prepend(characterClass(set, rules), after);
}

/** Returns at most one alternative for all escaped characters, so that only one begins with a backslash. */
function listEscapes(
  transitions: readonly Transition[],
  sequences: readonly Sequence[],
  rules: RuleSet,
): Sequence[] {
  const escaped: Sequence[] = [];
  for (const { target, forms } of transitions) {
    if (!isEscaped(forms)) continue;
    const { letters, codes } = forms;
    const after = sequences[target] ?? emptySequence;
    const [letter] = letters;
    if (letter !== undefined && letters.length === 1 && codes.length === 0) {
      escaped.push({ literal: letter + after.literal, rest: after.rest });
    } else escaped.push(prepend(escapeRest(letters, codes, rules), after));
  }
  const [only, second] = escaped;
  if (only === undefined) return [];
  if (second === undefined) return [{ literal: `\\${only.literal}`, rest: only.rest }];
  return [{ literal: "\\", rest: rules.add(escaped.map(sequenceText).join(" | ")) }];
}

/** A strongly connected component: states that reach each other, or a single state. */
interface Component {
  readonly states: readonly number[];
  /** Whether a state of it can reach itself. */
  readonly cyclic: boolean;
}

/**
 * Returns the strongly connected components in reverse topological order (Tarjan, 1972), without recursion.
 */
function components(automaton: Automaton): Component[] {
  const { stateCount, offsets, targets } = automaton;
  const found: Component[] = [];
  const order = new Int32Array(stateCount);
  const low = new Int32Array(stateCount);
  const done = new Uint8Array(stateCount);
  const nextEdge = new Int32Array(stateCount);
  const open: number[] = [];
  const path: number[] = [];
  let visited = 0;
  const enter = (state: number): void => {
    order[state] = low[state] = ++visited;
    nextEdge[state] = offsets[state] ?? 0;
    open.push(state);
    path.push(state);
  };
  enter(0);
  for (let state = path.at(-1); state !== undefined; state = path.at(-1)) {
    const edge = nextEdge[state] ?? 0;
    if (edge < (offsets[state + 1] ?? 0)) {
      nextEdge[state] = edge + 1;
      const target = targets[edge] ?? 0;
      if (order[target] === 0) enter(target);
      else if (done[target] === 0) low[state] = Math.min(low[state] ?? 0, order[target] ?? 0);
      continue;
    }
    path.pop();
    const before = path.at(-1);
    if (before !== undefined) low[before] = Math.min(low[before] ?? 0, low[state] ?? 0);
    if (low[state] !== order[state]) continue;
    const states = open.splice(open.lastIndexOf(state));
    for (const member of states) done[member] = 1;
    found.push({ states, cyclic: states.length > 1 || hasSelfLoop(automaton, state) });
  }
  return found;
}

function hasSelfLoop(automaton: Automaton, state: number): boolean {
  return automaton.targets.subarray(automaton.offsets[state], automaton.offsets[state + 1]).includes(state);
}
