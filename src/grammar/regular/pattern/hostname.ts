import { type Automaton } from "../automaton.js";
import { explore } from "../explore.js";

/** Labels of a host name are counted by what they may take, not by what they took: one unit a begun 32, dot and all. */
const labelMax = 63;
const unitLength = 32;
const unitsMax = 7;

interface State {
  /** Units that were begun, this label's too. */
  readonly units: number;
  /** Characters of this label so far. */
  readonly length: number;
  readonly endsInDash: boolean;
  readonly labels: number;
}

/**
 * RFC 1123 host names of at least so many labels, without the dot of the root. 253 characters are kept to by the units: every
 * name of 7 labels of up to 31 characters is in, a longer label takes the place of two.
 */
export function hostnames(labelsMin: number): Automaton {
  const start: State = { units: 1, length: 0, endsInDash: false, labels: 1 };
  return explore(start, {
    key: ({ units, length, endsInDash, labels }) =>
      `${units} ${length} ${endsInDash} ${Math.min(labels, labelsMin)}`,
    isFinal: ({ length, endsInDash, labels }) => length > 0 && !endsInDash && labels >= labelsMin,
    steps: (state) => {
      const found: (readonly [string, string, State])[] = [];
      const longer = taken(state);
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

/** The state after one more letter or digit; a unit has room for its dot. */
function taken(state: State): State | null {
  const length = state.length + 1;
  if (length > labelMax) return null;
  const begins = length % unitLength === 0;
  if (begins && state.units >= unitsMax) return null;
  return { ...state, length, units: state.units + (begins ? 1 : 0), endsInDash: false };
}
