import { type Automaton, AutomatonTooLarge, type Draft, freeze, statesMax } from "./shape.js";

/** The minimal automaton of a draft. @throws AutomatonTooLarge over `max` states */
export function finish(draft: Draft, max = statesMax): Automaton {
  const automaton = freeze(minimise(draft));
  if (automaton.stateCount > max) throw new AutomatonTooLarge(max);
  return automaton;
}

/**
 * The minimal form of a draft: only states on some way from the start to an end, equal ones made one, edges sorted and
 * joined where they touch, states in the order in which a breadth-first walk meets them; so equal languages are equal drafts.
 */
function minimise(draft: Draft): Draft {
  const useful = trimmed(draft);
  const blocks = refine(useful);
  return ordered(useful, blocks);
}

/** Without the edges that lead to no end; states keep their numbers. */
function trimmed(draft: Draft): Draft {
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
  return { finals: draft.finals, edges: draft.edges.map((edges) => kept(edges, alive)) };
}

function kept(edges: number[], alive: readonly boolean[]): number[] {
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

function predecessors(draft: Draft): number[][] {
  const before: number[][] = draft.finals.map(() => []);
  for (const [state, edges] of draft.edges.entries()) {
    for (let i = 2; i < edges.length; i += 3) before[edges[i] ?? 0]?.push(state);
  }
  return before;
}

/**
 * The block of every state, equal states in one block. Of a block that falls apart the largest part keeps the number, so
 * that only the states before the other parts need another look: O(edges * log states).
 */
function refine(draft: Draft): number[] {
  const blockOf = draft.finals.map(() => 0);
  const members: Set<number>[] = [new Set(blockOf.keys())];
  const before = predecessors(draft);
  let dirty = new Map<number, Set<number>>([[0, new Set(blockOf.keys())]]);
  while (dirty.size > 0) {
    const round = dirty;
    dirty = new Map();
    for (const [block, states] of round) {
      for (const part of parts(draft, blockOf, members[block] ?? new Set(), states)) {
        const fresh = members.push(new Set(part)) - 1;
        for (const state of part) {
          members[block]?.delete(state);
          blockOf[state] = fresh;
        }
        for (const state of part) for (const previous of before[state] ?? []) mark(dirty, blockOf, previous);
      }
    }
    dirty = regrouped(dirty, blockOf);
  }
  return blockOf;
}

function mark(dirty: Map<number, Set<number>>, blockOf: readonly number[], state: number): void {
  const block = blockOf[state] ?? 0;
  const states = dirty.get(block);
  if (states === undefined) dirty.set(block, new Set([state]));
  else states.add(state);
}

/** A state may have changed its block after it was marked. */
function regrouped(dirty: Map<number, Set<number>>, blockOf: readonly number[]): Map<number, Set<number>> {
  const result = new Map<number, Set<number>>();
  for (const states of dirty.values()) for (const state of states) mark(result, blockOf, state);
  return result;
}

/** What the dirty states of a block fall apart into, without the part that keeps the block's number. */
function parts(draft: Draft, blockOf: readonly number[], all: Set<number>, dirty: Set<number>): number[][] {
  const groups = new Map<string, number[]>();
  for (const state of dirty) {
    const key = signature(draft, blockOf, state);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [state]);
    else group.push(state);
  }
  let keeper = "";
  let keeperSize = 0;
  const cleanCount = all.size - dirty.size;
  if (cleanCount > 0) {
    for (const state of all) {
      if (dirty.has(state)) continue;
      keeper = signature(draft, blockOf, state);
      keeperSize = cleanCount;
      break;
    }
  }
  return withoutKeeper(groups, keeper, keeperSize, all, dirty);
}

function withoutKeeper(
  groups: Map<string, number[]>,
  clean: string,
  cleanCount: number,
  all: Set<number>,
  dirty: Set<number>,
): number[][] {
  let keeper = clean;
  let keeperSize = cleanCount + (groups.get(clean)?.length ?? 0);
  for (const [key, group] of groups) {
    if (group.length > keeperSize) {
      keeper = key;
      keeperSize = group.length;
    }
  }
  if (cleanCount > 0 && keeper !== clean) {
    const others = [...all].filter((state) => !dirty.has(state));
    groups.set(clean, [...(groups.get(clean) ?? []), ...others]);
  }
  groups.delete(keeper);
  return [...groups.values()];
}

function signature(draft: Draft, blockOf: readonly number[], state: number): string {
  return `${draft.finals[state] === true ? "+" : "-"}${joined(draft.edges[state] ?? [], blockOf).join(",")}`;
}

/** Edges into blocks, joined where they touch and lead to the same one. */
function joined(edges: readonly number[], blockOf: readonly number[]): number[] {
  const result: number[] = [];
  for (let i = 0; i < edges.length; i += 3) {
    const block = blockOf[edges[i + 2] ?? 0] ?? 0;
    const end = result.length;
    if (end > 0 && result[end - 1] === block && (result[end - 2] ?? 0) + 1 === edges[i]) {
      result[end - 2] = edges[i + 1] ?? 0;
    } else {
      result.push(edges[i] ?? 0, edges[i + 1] ?? 0, block);
    }
  }
  return result;
}

/** The blocks as states, in the order in which a walk from the start meets them. */
export function ordered(draft: Draft, blockOf: readonly number[]): Draft {
  const result: Draft = { finals: [], edges: [] };
  const representatives: number[] = [];
  for (const [state, block] of blockOf.entries()) representatives[block] = state;
  const numbers: number[] = [];
  const walk = [blockOf[0] ?? 0];
  numbers[walk[0] ?? 0] = 0;
  for (const block of walk) {
    const state = representatives[block] ?? 0;
    const edges = joined(draft.edges[state] ?? [], blockOf);
    for (let i = 2; i < edges.length; i += 3) {
      const target = edges[i] ?? 0;
      edges[i] = numbers[target] ??= walk.push(target) - 1;
    }
    result.finals.push(draft.finals[state] ?? false);
    result.edges.push(edges);
  }
  return result;
}
