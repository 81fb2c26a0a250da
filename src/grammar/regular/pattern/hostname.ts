import { type Automaton } from "../automaton.js";
import { explore } from "../explore.js";

/**
 * The length of a host name is counted in units instead of characters: a label takes one unit per 32
 * characters begun, its dot included.
 */
const labelMax = 63;
const unitLength = 32;
const unitsMax = 7;

interface State {
  /** Units begun so far, including those of this label. */
  readonly units: number;
  /** Characters of this label so far. */
  readonly length: number;
  readonly endsInDash: boolean;
  readonly labels: number;
}

/**
 * Returns the automaton of RFC 1123 host names with at least this number of labels, without a trailing dot.
 * The units keep names within 253 characters: every name of 7 labels of up to 31 characters is included; a
 * longer label replaces two.
 */
export function hostnames(labelsMin: number): Automaton {
  const start: State = { units: 1, length: 0, endsInDash: false, labels: 1 };
  return explore(start, {
    key: ({ units, length, endsInDash, labels }) =>
      `${units} ${length} ${endsInDash} ${Math.min(labels, labelsMin)}`,
    isFinal: ({ length, endsInDash, labels }) => length > 0 && !endsInDash && labels >= labelsMin,
    steps: (state) => {
      const found: (readonly [string, string, State])[] = [];
      const longer = afterCharacter(state);
      if (longer !== null) {
        for (const [from, to] of ["09", "AZ", "az"]) found.push([from ?? "", to ?? "", longer]);
        if (state.length > 0) found.push(["-", "-", { ...longer, endsInDash: true }]);
      }
      if (state.length > 0 && !state.endsInDash && state.units < unitsMax) {
        const { units, labels } = state;
        found.push([".", ".", { units: units + 1, length: 0, endsInDash: false, labels: labels + 1 }]);
      }
      return found;
    },
  });
}

/** Returns the state after one more letter or digit, or null if the limits are reached. */
function afterCharacter(state: State): State | null {
  const length = state.length + 1;
  if (length > labelMax) return null;
  const begins = length % unitLength === 0;
  if (begins && state.units >= unitsMax) return null;
  return { ...state, length, units: state.units + (begins ? 1 : 0), endsInDash: false };
}
