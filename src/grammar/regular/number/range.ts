import { ExactNumber, type JsonNumber } from "./decimal.js";

/** The bounds of a number and what divides it. */
export interface NumberRange {
  readonly minimum?: JsonNumber | undefined;
  readonly maximum?: JsonNumber | undefined;
  readonly exclusiveMinimum?: JsonNumber | undefined;
  readonly exclusiveMaximum?: JsonNumber | undefined;
  /** Divisors, all greater than zero. */
  readonly multipleOf?: readonly number[] | undefined;
  /** Numbers of which no multiple is allowed, all greater than zero. */
  readonly notMultipleOf?: readonly number[] | undefined;
  /** Whether only integers are allowed, written without point and exponent. */
  readonly integer: boolean;
}

/** Whether a bound of the range is a number that a double does not keep. */
export function hasExactBound(range: NumberRange): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = range;
  return [minimum, maximum, exclusiveMinimum, exclusiveMaximum].some((bound) => bound instanceof ExactNumber);
}
