import { spend } from "../work.js";
import { type Automaton, AutomatonTooLarge, type AutomatonDraft, freeze, statesMax } from "./shape.js";

/** Returns the minimal automaton of a draft. @throws AutomatonTooLarge over `max` states */
export function minimalAutomaton(draft: AutomatonDraft, max = statesMax): Automaton {
  const automaton = freeze(minimise(draft));
  if (automaton.stateCount > max) throw new AutomatonTooLarge(max);
  return automaton;
}

/**
 * Returns the minimal form of a draft: only states on a path from the start to an accepting state, equivalent
 * states merged, edges sorted and adjacent ranges joined, states in breadth-first order. Equal languages have
 * equal minimal forms.
 */
function minimise(draft: AutomatonDraft): AutomatonDraft {
  const useful = trimmed(draft);
  const blocks = refine(useful);
  return ordered(useful, blocks);
}

/** Removes the edges from which no accepting state is reachable. States keep their numbers. */
function trimmed(draft: AutomatonDraft): AutomatonDraft {
  const before = predecessors(draft);
  const alive = draft.finals.map((final) => final);
  const pending: number[] = [];
  for (const [state, final] of draft.finals.entries()) if (final) pending.push(state);
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    for (const previous of before[state] ?? []) {
      if (alive[previous] === true) continue;
      alive[previous] = true;
      pending.push(previous);
    }
  }
  return { finals: draft.finals, edges: draft.edges.map((edges) => reachingEdges(edges, alive)) };
}

function reachingEdges(edges: number[], alive: readonly boolean[]): number[] {
  const result: number[] = [];
  for (let i = 0; i < edges.length; i += 3) {
    if (alive[edges[i + 2] ?? 0] === true) result.push(edges[i] ?? 0, edges[i + 1] ?? 0, edges[i + 2] ?? 0);
  }
  return sortedEdges(result);
}

function sortedEdges(edges: number[]): number[] {
  let sorted = true;
  for (let i = 3; i < edges.length; i += 3) sorted &&= (edges[i] ?? 0) > (edges[i - 3] ?? 0);
  if (sorted) return edges;
  const triples: [number, number, number][] = [];
  for (let i = 0; i < edges.length; i += 3)
    triples.push([edges[i] ?? 0, edges[i + 1] ?? 0, edges[i + 2] ?? 0]);
  return triples.sort((a, b) => a[0] - b[0]).flat();
}

function predecessors(draft: AutomatonDraft): number[][] {
  const before: number[][] = draft.finals.map(() => []);
  for (const [state, edges] of draft.edges.entries()) {
    for (let i = 2; i < edges.length; i += 3) before[edges[i] ?? 0]?.push(state);
  }
  return before;
}

/**
 * Returns the block of every state by partition refinement; equivalent states share a block. When a block
 * splits, its largest part keeps the number, so only predecessors of the other parts are examined again:
 * O(edges * log states).
 */
function refine(draft: AutomatonDraft): number[] {
  const blockNumbers = draft.finals.map(() => 0);
  const members: Set<number>[] = [new Set(blockNumbers.keys())];
  const before = predecessors(draft);
  let dirty = new Map<number, Set<number>>([[0, new Set(blockNumbers.keys())]]);
  while (dirty.size > 0) {
    const round = dirty;
    dirty = new Map();
    for (const [block, states] of round) {
      for (const part of parts(draft, blockNumbers, members[block] ?? new Set(), states)) {
        const fresh = members.push(new Set(part)) - 1;
        for (const state of part) {
          members[block]?.delete(state);
          blockNumbers[state] = fresh;
        }
        for (const state of part)
          for (const previous of before[state] ?? []) mark(dirty, blockNumbers, previous);
      }
    }
    dirty = regrouped(dirty, blockNumbers);
  }
  return blockNumbers;
}

function mark(dirty: Map<number, Set<number>>, blockNumbers: readonly number[], state: number): void {
  const block = blockNumbers[state] ?? 0;
  const states = dirty.get(block);
  if (states === undefined) dirty.set(block, new Set([state]));
  else states.add(state);
}

/** Groups the dirty states by their current block, which may have changed after they were marked. */
function regrouped(
  dirty: Map<number, Set<number>>,
  blockNumbers: readonly number[],
): Map<number, Set<number>> {
  const result = new Map<number, Set<number>>();
  for (const states of dirty.values()) for (const state of states) mark(result, blockNumbers, state);
  return result;
}

/**
 * Splits the dirty states of a block by signature. Returns all parts except the largest, which keeps the
 * block's number.
 */
function parts(
  draft: AutomatonDraft,
  blockNumbers: readonly number[],
  all: Set<number>,
  dirty: Set<number>,
): number[][] {
  const groups = new Map<string, number[]>();
  for (const state of dirty) {
    spend(2 + (draft.edges[state]?.length ?? 0) / 2);
    const key = signature(draft, blockNumbers, state);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [state]);
    else group.push(state);
  }
  let largest = "";
  let largestSize = 0;
  const cleanCount = all.size - dirty.size;
  if (cleanCount > 0) {
    for (const state of all) {
      if (dirty.has(state)) continue;
      largest = signature(draft, blockNumbers, state);
      largestSize = cleanCount;
      break;
    }
  }
  return withoutLargest(groups, largest, largestSize, all, dirty);
}

function withoutLargest(
  groups: Map<string, number[]>,
  clean: string,
  cleanCount: number,
  all: Set<number>,
  dirty: Set<number>,
): number[][] {
  let largest = clean;
  let largestSize = cleanCount + (groups.get(clean)?.length ?? 0);
  for (const [key, group] of groups) {
    if (group.length > largestSize) {
      largest = key;
      largestSize = group.length;
    }
  }
  if (cleanCount > 0 && largest !== clean) {
    const others = [...all].filter((state) => !dirty.has(state));
    groups.set(clean, [...(groups.get(clean) ?? []), ...others]);
  }
  groups.delete(largest);
  return [...groups.values()];
}

function signature(draft: AutomatonDraft, blockNumbers: readonly number[], state: number): string {
  return `${draft.finals[state] === true ? "+" : "-"}${joined(draft.edges[state] ?? [], blockNumbers).join(",")}`;
}

/** Returns the edges with blocks as targets; adjacent ranges into the same block are joined. */
function joined(edges: readonly number[], blockNumbers: readonly number[]): number[] {
  const result: number[] = [];
  for (let i = 0; i < edges.length; i += 3) {
    const block = blockNumbers[edges[i + 2] ?? 0] ?? 0;
    const end = result.length;
    if (end > 0 && result[end - 1] === block && (result[end - 2] ?? 0) + 1 === edges[i]) {
      result[end - 2] = edges[i + 1] ?? 0;
    } else {
      result.push(edges[i] ?? 0, edges[i + 1] ?? 0, block);
    }
  }
  return result;
}

/** Returns the blocks as states, in breadth-first order from the start. */
export function ordered(draft: AutomatonDraft, blockNumbers: readonly number[]): AutomatonDraft {
  const result: AutomatonDraft = { finals: [], edges: [] };
  const representatives: number[] = [];
  for (const [state, block] of blockNumbers.entries()) representatives[block] = state;
  const numbers: number[] = [];
  const walk = [blockNumbers[0] ?? 0];
  numbers[walk[0] ?? 0] = 0;
  for (const block of walk) {
    const state = representatives[block] ?? 0;
    const edges = joined(draft.edges[state] ?? [], blockNumbers);
    for (let i = 2; i < edges.length; i += 3) {
      const target = edges[i] ?? 0;
      edges[i] = numbers[target] ??= walk.push(target) - 1;
    }
    result.finals.push(draft.finals[state] ?? false);
    result.edges.push(edges);
  }
  return result;
}
