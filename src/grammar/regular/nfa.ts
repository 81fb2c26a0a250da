import { spend } from "../work.js";
import { minimalAutomaton } from "./minimise.js";
import { partition, type Ranges } from "./ranges.js";
import { addState, type Automaton, AutomatonTooLarge, type AutomatonDraft, draftStatesMax } from "./shape.js";

/** A condition on the position at which an epsilon transition can be taken. */
type Guard = "start" | "end" | "wordBoundary" | "noWordBoundary";

const nodesMax = 60_000;
/** Nodes visited during determinisation; this bounds its time to about 0.1 s. */
const visitsMax = 1_000_000;
/** The key of a set of nodes is a text, which costs several steps. */
const stepsOfSubset = 8;
/** The characters of `\w`. */
export const wordCharacters: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** A nondeterministic automaton (NFA) under construction. A node is a number. */
export class Nfa {
  readonly transitions: { readonly set: number; readonly to: number }[][] = [];
  readonly epsilons: { readonly guard: Guard | null; readonly to: number }[][] = [];
  readonly sets: Ranges[] = [];
  readonly #setNumbers = new Map<string, number>();
  guarded = false;
  wordGuarded = false;

  /** Adds a node and returns its number. @throws AutomatonTooLarge */
  addNode(): number {
    if (this.transitions.length >= nodesMax) throw new AutomatonTooLarge(nodesMax);
    this.epsilons.push([]);
    return this.transitions.push([]) - 1;
  }

  /** Adds a transition that consumes one character of `set`. */
  addTransition(from: number, set: Ranges, to: number): void {
    if (set.length === 0) return;
    const key = set.length === 2 ? `${set[0]}-${set[1]}` : set.join();
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    this.transitions[from]?.push({ set: number, to });
  }

  /** Adds an epsilon transition. */
  addEpsilon(from: number, to: number, guard: Guard | null = null): void {
    this.guarded ||= guard !== null;
    this.wordGuarded ||= guard === "wordBoundary" || guard === "noWordBoundary";
    this.epsilons[from]?.push({ guard, to });
  }

  /**
   * Adds the states of an automaton. @returns the node of its start state; its accepting states get epsilon
   * transitions to `to`
   */
  embed(automaton: Automaton, to: number): number {
    const first = this.transitions.length;
    for (let state = 0; state < automaton.stateCount; state++) this.addNode();
    for (let state = 0; state < automaton.stateCount; state++) {
      const sets = new Map<number, number[]>();
      for (let i = automaton.offsets[state] ?? 0; i < (automaton.offsets[state + 1] ?? 0); i++) {
        const target = automaton.targets[i] ?? 0;
        const pairs = sets.get(target) ?? [];
        pairs.push(automaton.lows[i] ?? 0, automaton.highs[i] ?? 0);
        sets.set(target, pairs);
      }
      for (const [target, set] of sets) this.addTransition(first + state, set, first + target);
      if (automaton.finals[state] === 1) this.addEpsilon(first + state, to);
    }
    return first;
  }
}

/** The kind of a neighbouring character, as guards distinguish it; "edge" is the start or end of the text. */
type Context = "edge" | "word" | "other";

/**
 * Returns the minimal automaton of the texts that lead from `start` to `end`, by the subset construction.
 * @param all a node from which every text leads to `end`, if there is one; a set with this node needs no
 * other nodes
 * @throws AutomatonTooLarge
 */
export function determinise(nfa: Nfa, start: number, end: number, all = -1): Automaton {
  const sets = nfa.wordGuarded ? [...nfa.sets, wordCharacters] : nfa.sets;
  const { classes, members } = partition(sets);
  const wordClasses = new Set(nfa.wordGuarded ? members.at(-1) : []);
  const draft: AutomatonDraft = { finals: [], edges: [] };
  const numbers = new Map<string, number>();
  const pending: { nodes: readonly number[]; before: Context }[] = [];
  const enter = (kernel: readonly number[], before: Context): number => {
    const nodes = kernel.includes(all) ? [all] : [...new Set(kernel)].sort((a, b) => a - b);
    const key = `${nodes.join()}${before}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = addState(draft, epsilonClosure(nfa, nodes, before, "edge").has(end), draftStatesMax);
    numbers.set(key, number);
    pending.push({ nodes, before });
    return number;
  };
  enter([start], "edge");
  let visits = 0;
  for (const [state, { nodes, before }] of pending.entries()) {
    for (const after of nfa.wordGuarded ? (["word", "other"] as const) : (["other"] as const)) {
      const reached: number[][] = [];
      for (const node of epsilonClosure(nfa, nodes, before, after)) {
        if (++visits > visitsMax) throw new AutomatonTooLarge(draftStatesMax);
        spend(2 + (nfa.transitions[node]?.length ?? 0));
        for (const { set, to } of nfa.transitions[node] ?? []) {
          for (const id of members[set] ?? []) {
            if (!nfa.wordGuarded || wordClasses.has(id) === (after === "word")) (reached[id] ??= []).push(to);
          }
        }
      }
      reached.forEach((targets, id) => {
        spend(stepsOfSubset + targets.length);
        const target = enter(targets, nfa.guarded ? after : "other");
        for (let i = 0, set = classes[id] ?? []; i < set.length; i += 2) {
          draft.edges[state]?.push(set[i] ?? 0, set[i + 1] ?? 0, target);
        }
      });
    }
  }
  return minimalAutomaton(draft);
}

/** Returns the epsilon closure of nodes at a position between these two characters. */
function epsilonClosure(nfa: Nfa, nodes: readonly number[], before: Context, after: Context): Set<number> {
  const reached = new Set(nodes);
  for (const node of reached) {
    for (const { guard, to } of nfa.epsilons[node] ?? []) {
      if (guard === null || guardHolds(guard, before, after)) reached.add(to);
    }
  }
  return reached;
}

function guardHolds(guard: Guard, before: Context, after: Context): boolean {
  if (guard === "start") return before === "edge";
  if (guard === "end") return after === "edge";
  return (guard === "wordBoundary") === ((before === "word") !== (after === "word"));
}
