import type { Ticks } from "../../core/money.js";

/** The price list of a hosted service for a model name, in ticks per token. A later version replaces it. */
export interface HostedPrice {
  readonly alias: string;
  readonly promptTicks: Ticks;
  readonly cachedTicks: Ticks;
  readonly completionTicks: Ticks;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}
