import type { Ticks } from "../../core/money.js";
import type { Write } from "../../store/write.js";

/** What a hosted service charges by the name of a model, in ticks a token, from a time on. */
export interface HostedPrice {
  readonly alias: string;
  readonly promptTicks: Ticks;
  readonly cachedTicks: Ticks;
  readonly completionTicks: Ticks;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

export interface HostedPriceStore {
  /** A new version. */
  insertion(price: HostedPrice): Write;
  /** Takes all versions of an alias away. */
  removal(alias: string): Write;
  /** All versions by alias, the oldest first. */
  list(): Promise<readonly HostedPrice[]>;
  /** How many versions there are. */
  count(): Promise<number>;
}
