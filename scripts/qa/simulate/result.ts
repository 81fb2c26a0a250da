/** What a history is made from, and what comes of it. */
import type { Counts } from "../world/counts.js";

export interface HistoryOptions {
  readonly seed: number;
  /** Simulated hours with work; the end of the last work follows. */
  readonly hours: number;
  /** Gets every line of the trace. */
  readonly onLine?: (line: string) => void;
}

export interface HistoryResult {
  /** Equal for histories that went the same way. */
  readonly traceHash: string;
  readonly steps: number;
  readonly runs: number;
  readonly restarts: number;
  readonly requests: Counts;
  /** Batches by the state in which their clients found them ended. */
  readonly batches: Counts;
  /** Statements that each kind of fault hit. */
  readonly faults: Counts;
  /** The largest difference of two waiting teams' tokens. */
  readonly tokensApartMax: number;
}

/** A guarantee did not hold in the history of a seed. */
export class HistoryFailure extends Error {
  readonly seed: number;
  readonly lastLines: readonly string[];

  constructor(seed: number, cause: unknown, lastLines: readonly string[]) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "HistoryFailure";
    this.seed = seed;
    this.lastLines = lastLines;
  }
}
