/** Counts outcomes. */
import type { Outcomes } from "./attackers.js";

export interface OutcomeTally {
  /** Returns what counts the outcomes of one attack. */
  counterOf(attack: string): (outcome: string) => void;
  outcomes(): Outcomes;
}

/** Different outcomes of one attack that are counted apart. */
const outcomesMax = 12;

export function createTally(): OutcomeTally {
  const counts = new Map<string, Map<string, number>>();
  return {
    counterOf: (attack) => (outcome) => {
      const own = counts.get(attack) ?? new Map<string, number>();
      counts.set(attack, own);
      const name = own.has(outcome) || own.size < outcomesMax ? outcome : "others";
      own.set(name, (own.get(name) ?? 0) + 1);
    },
    outcomes: () => Object.fromEntries([...counts].map(([attack, own]) => [attack, Object.fromEntries(own)])),
  };
}
