import { minimalAutomaton } from "./minimise.js";
import { spend } from "../work.js";
import { addState, type Automaton, type AutomatonDraft, statesMax } from "./shape.js";

/** An automaton given by its transition function. States with equal keys are identical. */
interface StateMachine<State> {
  key(state: State): string;
  isFinal(state: State): boolean;
  /** The transitions, each for a range of characters; the ranges of one state are disjoint. */
  steps(state: State): readonly (readonly [from: string, to: string, state: State])[];
}

/** The key of a state is a text, which costs several steps. */
const stepsOfTransition = 8;

/** Returns the minimal automaton of a state machine. @throws AutomatonTooLarge */
export function explore<State>(start: State, machine: StateMachine<State>, max = statesMax): Automaton {
  const draft: AutomatonDraft = { finals: [], edges: [] };
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
      spend(stepsOfTransition);
    }
  }
  return minimalAutomaton(draft, max);
}
