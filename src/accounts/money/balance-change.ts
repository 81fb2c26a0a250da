/** A change of a team's credit: a payment, a correction, or the spending of a day. */
export interface BalanceChange {
  readonly origin: "purchase" | "refund" | "adjust" | "spend";
  /** The amount added to the credit; negative when it was taken. */
  readonly ticks: bigint;
  /** Milliseconds since the epoch; for spending, the start of its day (UTC). */
  readonly time: number;
}
