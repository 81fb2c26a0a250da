import { finish } from "./minimise.js";
import { partition, type Ranges } from "./ranges.js";
import { addState, type Automaton, AutomatonTooLarge, type Draft, draftStatesMax } from "./shape.js";

/** What a jump without a character asks of its place in the text. */
export type Guard = "start" | "end" | "wordBoundary" | "noWordBoundary";

const nodesMax = 60_000;
/** Nodes looked at while choices are removed: what bounds the time, about 0.1 s. */
const visitsMax = 1_000_000;
/** The set of `\w`. */
export const wordCharacters: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** An automaton with choices, under construction; a node is a number. */
export class Nfa {
  readonly steps: { readonly set: number; readonly to: number }[][] = [];
  readonly jumps: { readonly guard: Guard | null; readonly to: number }[][] = [];
  readonly sets: Ranges[] = [];
  readonly #setNumbers = new Map<string, number>();
  guarded = false;
  wordGuarded = false;

  /** A new node. @throws AutomatonTooLarge */
  node(): number {
    if (this.steps.length >= nodesMax) throw new AutomatonTooLarge(nodesMax);
    this.jumps.push([]);
    return this.steps.push([]) - 1;
  }

  /** A way that reads one character of `set`. */
  step(from: number, set: Ranges, to: number): void {
    if (set.length === 0) return;
    const key = set.length === 2 ? `${set[0]}-${set[1]}` : set.join();
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    this.steps[from]?.push({ set: number, to });
  }

  /** A way that reads nothing. */
  jump(from: number, to: number, guard: Guard | null = null): void {
    this.guarded ||= guard !== null;
    this.wordGuarded ||= guard === "wordBoundary" || guard === "noWordBoundary";
    this.jumps[from]?.push({ guard, to });
  }

  /** Puts an automaton in. @returns the node of its start; its ends jump to `to` */
  embed(automaton: Automaton, to: number): number {
    const first = this.steps.length;
    for (let state = 0; state < automaton.stateCount; state++) this.node();
    for (let state = 0; state < automaton.stateCount; state++) {
      const sets = new Map<number, number[]>();
      for (let i = automaton.offsets[state] ?? 0; i < (automaton.offsets[state + 1] ?? 0); i++) {
        const target = automaton.targets[i] ?? 0;
        const pairs = sets.get(target) ?? [];
        pairs.push(automaton.lows[i] ?? 0, automaton.highs[i] ?? 0);
        sets.set(target, pairs);
      }
      for (const [target, set] of sets) this.step(first + state, set, first + target);
      if (automaton.finals[state] === 1) this.jump(first + state, to);
    }
    return first;
  }
}

/** The character before a place, or what a guard sees there. */
type Side = "edge" | "word" | "other";

/**
 * The minimal automaton of the texts that lead from `start` to `end`.
 * @param all a node from which every text leads to `end`, where there is one: what else is open does not matter there
 * @throws AutomatonTooLarge
 */
export function determinise(nfa: Nfa, start: number, end: number, all = -1): Automaton {
  const sets = nfa.wordGuarded ? [...nfa.sets, wordCharacters] : nfa.sets;
  const { classes, members } = partition(sets);
  const wordClasses = new Set(nfa.wordGuarded ? members.at(-1) : []);
  const draft: Draft = { finals: [], edges: [] };
  const numbers = new Map<string, number>();
  const pending: { nodes: readonly number[]; before: Side }[] = [];
  const enter = (kernel: readonly number[], before: Side): number => {
    const nodes = kernel.includes(all) ? [all] : [...new Set(kernel)].sort((a, b) => a - b);
    const key = `${nodes.join()}${before}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = addState(draft, closure(nfa, nodes, before, "edge").has(end), draftStatesMax);
    numbers.set(key, number);
    pending.push({ nodes, before });
    return number;
  };
  enter([start], "edge");
  let visits = 0;
  for (const [state, { nodes, before }] of pending.entries()) {
    for (const after of nfa.wordGuarded ? (["word", "other"] as const) : (["other"] as const)) {
      const reached: number[][] = [];
      for (const node of closure(nfa, nodes, before, after)) {
        if (++visits > visitsMax) throw new AutomatonTooLarge(draftStatesMax);
        for (const { set, to } of nfa.steps[node] ?? []) {
          for (const id of members[set] ?? []) {
            if (!nfa.wordGuarded || wordClasses.has(id) === (after === "word")) (reached[id] ??= []).push(to);
          }
        }
      }
      reached.forEach((targets, id) => {
        const target = enter(targets, nfa.guarded ? after : "other");
        for (let i = 0, set = classes[id] ?? []; i < set.length; i += 2) {
          draft.edges[state]?.push(set[i] ?? 0, set[i + 1] ?? 0, target);
        }
      });
    }
  }
  return finish(draft);
}

/** The nodes that jumps reach at a place between these two characters. */
function closure(nfa: Nfa, nodes: readonly number[], before: Side, after: Side): Set<number> {
  const reached = new Set(nodes);
  for (const node of reached) {
    for (const { guard, to } of nfa.jumps[node] ?? []) {
      if (guard === null || holds(guard, before, after)) reached.add(to);
    }
  }
  return reached;
}

function holds(guard: Guard, before: Side, after: Side): boolean {
  if (guard === "start") return before === "edge";
  if (guard === "end") return after === "edge";
  return (guard === "wordBoundary") === ((before === "word") !== (after === "word"));
}
