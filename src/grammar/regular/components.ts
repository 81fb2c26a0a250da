import type { Automaton } from "./shape.js";

/** A strongly connected component: states that reach each other, or a single state. */
interface Component {
  readonly states: readonly number[];
  /** Whether a state of it can reach itself. */
  readonly cyclic: boolean;
}

/**
 * Returns the strongly connected components in reverse topological order (Tarjan, 1972), without recursion.
 */
export function components(automaton: Automaton): Component[] {
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
