/** The bounds of a number and what divides it. */
export interface NumberRange {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  /** Divisors, all greater than zero. */
  readonly multipleOf?: readonly number[] | undefined;
  /** Whether only integers are allowed, written without point and exponent. */
  readonly integer: boolean;
}
