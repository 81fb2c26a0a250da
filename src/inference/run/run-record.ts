import type { RequestBound } from "../../accounts/budgets/refusal.js";
import type { SpendLabels } from "../../accounts/principals/spend-labels.js";
import type { ErrorKind, HearthError } from "../../core/errors.js";
import type { FinishedRun } from "../../core/metrics.js";
import type { Prices, Ticks } from "../../core/money.js";
import type { RunEvent } from "../../core/run-event.js";
import type { RunState } from "../../core/run-state.js";
import type { Usage } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";

/** One run's row in the usage table: who used which model, how much was produced, and what it cost. */
export interface RunRecord {
  readonly id: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** Resolved model id. */
  readonly model: string;
  /** The model's name in the request: an id or an alias; null for runs older than this field. */
  readonly requestedModel: string | null;
  /** The route, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly state: RunState;
  readonly usage: Usage;
  readonly costTicks: Ticks;
  /** What its cost is computed from; null for runs older than the price book. */
  readonly prices: Prices | null;
  /** What was reserved for it before it started; null for a team that does not pay in advance. */
  readonly reservedTicks: Ticks | null;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly endTime: number | null;
  /** The user who created its key, and the most that it can cost and use; only of a run that is inserted. */
  readonly budgeted?: { readonly userId: string; readonly bound: RequestBound };
  /** When its request was accepted, and whether its answer is streamed; only of a run that is inserted. */
  readonly accepted?: { readonly createTime: number; readonly streamed: boolean };
  /** JSON text of what its client says of it, or null, and what it is counted for; only of a run that is inserted. */
  readonly labelled?: { readonly text: string | null; readonly spend: SpendLabels };
}

export interface RunOutcome {
  readonly state: Exclude<RunState, "running">;
  readonly usage: Usage;
  readonly costTicks: Ticks;
  readonly endTime: number;
  /** For the log of requests; absent: not known. */
  readonly ending?: RunEnding;
}

/** How a run ended, besides its state. */
export interface RunEnding {
  /** The finish reason of the last choice that ended; null when none did. */
  readonly finishReason: string | null;
  /** Kind of the error that ended it; null when there was none. */
  readonly errorKind: ErrorKind | null;
  /** Milliseconds from the accepted request to the first text; null when there was none. */
  readonly firstTokenMs: number | null;
}

/** How a run ended. */
export interface RunEnd {
  readonly state: FinishedRun["state"];
  /** The error that ended it; null when there was none. */
  readonly failure: HearthError | null;
  /** With what it is charged. */
  readonly usage: Usage;
}

/** Turns a run's events into rows that are written in the same transaction as the run's end. */
export interface RunRecorder {
  /** Takes every event of the run, in order, before its reader gets it. */
  add(event: RunEvent): void;
  /** Called once, after the last event. @returns null when the work will be done again, so that this run is void. */
  writes(end: RunEnd): readonly Write[] | null;
}
