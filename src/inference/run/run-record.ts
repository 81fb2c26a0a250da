import type { Prices, Ticks } from "../../core/money.js";
import type { RunState } from "../../core/run-state.js";
import type { Usage } from "../../core/usage.js";
import type { Write } from "../../store/write.js";

/** One run's row in the usage table: who used which model, how much was produced, what it cost. */
export interface RunRecord {
  readonly id: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** Resolved model id. */
  readonly model: string;
  /** The name it was asked for by: an id or an alias; null for runs that are older than its record. */
  readonly askedModel: string | null;
  /** The route, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly state: RunState;
  readonly usage: Usage;
  readonly costTicks: Ticks;
  /** What its cost is computed from; null for runs that are older than the price book. */
  readonly prices: Prices | null;
  /** What was held for it before it began; null when nothing had to be. */
  readonly reservedTicks: Ticks | null;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly endTime: number | null;
}

export interface RunOutcome {
  readonly state: Exclude<RunState, "running">;
  readonly usage: Usage;
  readonly costTicks: Ticks;
  readonly endTime: number;
}

export interface RunStore {
  /**
   * @param together made in the same transaction.
   * @throws HearthError `no_credits` where what is to be reserved is not there, `overloaded` while nothing can be written.
   */
  insert(record: RunRecord, together: readonly Write[]): Promise<void>;
  /**
   * Writes how a running run ended; a run that has ended already is left as it is.
   * @param together made in the same transaction.
   */
  settle(id: string, outcome: RunOutcome, together: readonly Write[]): Promise<void>;
  /**
   * Marks every run still `running` as `interrupted`, at no cost, and releases what was reserved for it; at start, nothing runs
   * yet. @returns how many there were.
   */
  interruptAll(endTime: number): Promise<number>;
  /** Newest first. */
  list(limit: number): Promise<readonly RunRecord[]>;
}
