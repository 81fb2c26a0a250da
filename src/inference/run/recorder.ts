import type { HearthError } from "../../core/errors.js";
import type { GenerationEvent } from "../../core/generation.js";
import type { RunOutcome } from "./run-record.js";
import type { Write } from "../../store/write.js";

/** How a run ended, as whoever keeps something of it is told. */
export interface RunEnd {
  readonly state: RunOutcome["state"];
  /** What kept it from its end. */
  readonly failure: HearthError | null;
}

/** Makes something of a run's events that is written together with the run's end: both or neither. */
export interface Keeper {
  /** Every event of the run, in order, before its reader gets it. */
  add(event: GenerationEvent): void;
  /** Once, after the last event: what is to be written; null where the work is begun anew, so that this run is as good as none. */
  writes(end: RunEnd): readonly Write[] | null;
}
