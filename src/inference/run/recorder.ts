import type { HearthError } from "../../core/errors.js";
import type { FinishedRun } from "../../core/metrics.js";
import type { RunEvent } from "../../core/run-event.js";
import type { Usage } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";

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
