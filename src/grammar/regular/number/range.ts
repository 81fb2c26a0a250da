import { ExactNumber, type JsonNumber } from "./decimal.js";

/** The bounds of a number and what divides it. */
export interface NumberRange {
  readonly minimum?: JsonNumber;
  readonly maximum?: JsonNumber;
  readonly exclusiveMinimum?: JsonNumber;
  readonly exclusiveMaximum?: JsonNumber;
  /** Divisors, all greater than zero. */
  readonly multipleOf?: readonly number[];
  /** Numbers of which no multiple is allowed, all greater than zero. */
  readonly notMultipleOf?: readonly number[];
  /** Whether only integers are allowed, written without point and exponent. */
  readonly integer: boolean;
}

/** Whether a bound of the range is a number that a double does not keep. */
export function hasExactBound(range: NumberRange): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = range;
  return [minimum, maximum, exclusiveMinimum, exclusiveMaximum].some((bound) => bound instanceof ExactNumber);
}
