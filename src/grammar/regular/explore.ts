import { finish } from "./minimise.js";
import { addState, type Automaton, type Draft, statesMax } from "./shape.js";

/** An automaton given by what its states do; states with equal keys are one. */
export interface Machine<State> {
  key(state: State): string;
  isFinal(state: State): boolean;
  /** Where characters lead, first and last of a stretch; stretches of one state are disjoint. */
  steps(state: State): readonly (readonly [from: string, to: string, state: State])[];
}

/** The minimal automaton of a machine. @throws AutomatonTooLarge */
export function explore<State>(start: State, machine: Machine<State>, max = statesMax): Automaton {
  const draft: Draft = { finals: [], edges: [] };
  const numbers = new Map<string, number>();
  const pending: State[] = [];
  const enter = (state: State): number => {
    const key = machine.key(state);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = addState(draft, machine.isFinal(state));
    numbers.set(key, number);
    pending.push(state);
    return number;
  };
  enter(start);
  for (const [number, state] of pending.entries()) {
    for (const [from, to, target] of machine.steps(state)) {
      draft.edges[number]?.push(from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0, enter(target));
    }
  }
  return finish(draft, max);
}
