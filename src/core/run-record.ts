import type { Ticks } from "./money.js";
import type { Usage } from "./usage.js";
import type { Write } from "./write.js";

/**
 * How a run ended: `running` until it has; `completed`; `aborted` by its client; `failed` with an error; `interrupted` when
 * the process died before it could say.
 */
export type RunState = "running" | "completed" | "aborted" | "failed" | "interrupted";

/** One run's row in the usage table: who used which model, how much was produced, what it cost. */
export interface RunRecord {
  readonly id: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** Resolved model id. */
  readonly model: string;
  /** The route, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly state: RunState;
  readonly usage: Usage;
  readonly costTicks: Ticks;
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
  insert(record: RunRecord): Promise<void>;
  /**
   * Writes how a running run ended; a run that has ended already is left as it is.
   * @param together made in the same transaction.
   */
  settle(id: string, outcome: RunOutcome, together: readonly Write[]): Promise<void>;
  /** Marks every run still `running` as `interrupted`; at start, nothing runs yet. @returns how many there were. */
  interruptAll(endTime: number): Promise<number>;
  /** Newest first. */
  list(limit: number): Promise<readonly RunRecord[]>;
}
