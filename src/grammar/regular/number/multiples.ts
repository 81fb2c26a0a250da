import { type Automaton, automatonOfTexts, concat, union } from "../automaton.js";
import { toDecimal } from "./decimal.js";
import { explore } from "../explore.js";
import { patternAutomaton } from "../pattern/pattern.js";

/** A divisor as an integer number of units of 10^-scale. */
interface Scaled {
  readonly divisor: number;
  readonly scale: number;
}

/** The least common multiple of some divisors. */
export interface Divisor extends Scaled {
  /** The zeros at the end of all its multiples. */
  readonly zeros: number;
  /** The remainders that its automaton distinguishes: the divisor without these zeros. */
  readonly remainders: number;
}

/** Returns the least common multiple, or null if it is no safe integer of its unit. */
export function toDivisor(divisors: readonly number[]): Divisor | null {
  const common = commonMultiple(divisors.map(scaled));
  if (!Number.isSafeInteger(common.divisor)) return null;
  const zeros = common.scale > 0 ? 0 : (/0*$/.exec(String(common.divisor))?.[0].length ?? 0);
  return { ...common, zeros, remainders: common.divisor / 10 ** zeros };
}

interface State {
  readonly remainder: number;
  /** The number of digits after the point; -1 before it. */
  readonly fraction: number;
  readonly digits: boolean;
}

/**
 * Returns the automaton of the decimals that are multiples of the divisor, also with leading zeros. Trailing
 * zeros beyond its scale are not generated. @throws AutomatonTooLarge
 */
export function createMultiples({ scale, zeros, remainders }: Divisor): Automaton {
  const short = remaindersAutomaton(remainders, scale);
  if (zeros === 0) return short;
  return union(automatonOfTexts(["0"]), concat(short, automatonOfTexts(["0".repeat(zeros)])));
}

/** Returns the automaton of the decimals that are multiples of the divisor, with any zeros at the end. @throws AutomatonTooLarge */
export function createAllMultiples(divisor: Divisor): Automaton {
  const zeros = patternAutomaton(divisor.scale === 0 ? "^(\\.0+)?$" : "^0*$").automaton;
  return concat(createMultiples(divisor), zeros);
}

function remaindersAutomaton(divisor: number, scale: number): Automaton {
  const start: State = { remainder: 0, fraction: -1, digits: false };
  return explore(start, {
    key: ({ remainder, fraction, digits }) => `${remainder} ${fraction} ${digits}`,
    isFinal: ({ remainder, fraction, digits }) =>
      digits && fraction !== 0 && (remainder * 10 ** (scale - Math.max(fraction, 0))) % divisor === 0,
    steps: (state) => {
      const { remainder, fraction, digits } = state;
      const found: (readonly [string, string, State])[] = [];
      if (!digits && state === start) found.push(["-", "-", { ...start }]);
      if (fraction < scale) {
        for (let digit = 0; digit <= 9; digit++) {
          const next = fraction < 0 ? -1 : fraction + 1;
          found.push([
            String(digit),
            String(digit),
            { remainder: (remainder * 10 + digit) % divisor, fraction: next, digits: true },
          ]);
        }
      }
      if (digits && fraction < 0 && scale > 0) found.push([".", ".", { ...state, fraction: 0 }]);
      return found;
    },
  });
}

function scaled(value: number): Scaled {
  const { whole, fraction } = toDecimal(value);
  return { divisor: Number(whole + fraction), scale: fraction.length };
}

function commonMultiple(all: readonly Scaled[]): Scaled {
  const scale = Math.max(0, ...all.map((one) => one.scale));
  const divisors = all.map((one) => one.divisor * 10 ** (scale - one.scale));
  return { divisor: divisors.reduce((a, b) => (a / gcd(a, b)) * b, 1), scale };
}

function gcd(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x;
}
