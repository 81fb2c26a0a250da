import type { ResidentModel } from "./engine.js";
import type { RunState } from "./run-state.js";
import type { Usage } from "./usage.js";

export interface AnsweredRequest {
  /** Pattern of the route, or `none`: never the path itself, of which there are endlessly many. */
  readonly route: string;
  /** 499 when the client left before it had its answer. */
  readonly status: number;
  readonly durationMs: number;
}

export interface EndedRun {
  /** Resolved model id. */
  readonly model: string;
  readonly state: Exclude<RunState, "running" | "interrupted">;
  readonly usage: Usage;
  /** From the accepted request to the first piece of the answer; null when there was none. */
  readonly ttftMs: number | null;
  /** Tokens a second once the first was there; null when there were too few to tell. */
  readonly decodeTps: number | null;
}

export interface FinishedLoad {
  readonly model: string;
  readonly durationMs: number;
}

/** The port to whoever keeps figures: told what happened, never asked. Nothing here throws. */
export interface Metrics {
  requestAnswered(request: AnsweredRequest): void;
  runEnded(run: EndedRun): void;
  modelLoaded(load: FinishedLoad): void;
  /** A step of an image is done. @param model resolved id. */
  drawingStep(model: string): void;
}

/** A model in memory and how much of it is in use. */
export interface ModelInMemory extends ResidentModel {
  /** Slots that are held now, of `slots`. */
  readonly slotsHeld: number;
}

/** How busy the server is just now. */
export interface ServerLoad {
  /** Runs that wait for a slot, over all models. */
  readonly queueDepth: number;
  readonly models: readonly ModelInMemory[];
}
