import type { ResidentModel } from "./engine.js";
import type { ErrorKind } from "./errors.js";
import type { RunOperation } from "./telemetry/run-operation.js";
import type { RunState } from "./run-state.js";
import type { Usage } from "./usage.js";

export interface FinishedRequest {
  /** Pattern of the route, or `none`; never the path itself, because the number of paths is unbounded. */
  readonly route: string;
  /** 499 when the client left before it had the whole response. */
  readonly status: number;
  readonly durationMs: number;
}

export interface FinishedRun {
  readonly operation: RunOperation;
  readonly teamId: string;
  readonly apiKeyId: string;
  /** Resolved model id. */
  readonly model: string;
  readonly state: Exclude<RunState, "running" | "interrupted">;
  /** Kind of the error that ended it; null when there was none. */
  readonly errorKind: ErrorKind | null;
  readonly usage: Usage;
  /** Time from the accepted request to the end of the answer. */
  readonly durationMs: number;
  /** Time that it waited for a slot; null when it had none, or does not measure it. */
  readonly queueMs: number | null;
  /** Time from the accepted request to the first delta; null when there was none. */
  readonly ttftMs: number | null;
  /** Tokens per second after the first token; null when there were too few to measure. */
  readonly decodeTps: number | null;
}

export interface FinishedLoad {
  readonly model: string;
  readonly durationMs: number;
}

/** The port to the metrics. It only receives events; no method throws. */
export interface Metrics {
  requestFinished(request: FinishedRequest): void;
  runFinished(run: FinishedRun): void;
  /** Called as tokens are sampled. @param tokens reasoning included */
  tokensSampled(key: { readonly teamId: string; readonly userId: string }, tokens: number): void;
  modelLoaded(load: FinishedLoad): void;
  /** Called when a model could not be loaded. @param reason one sentence */
  modelNotLoaded(failure: { readonly model: string; readonly reason: string }): void;
  /** @param model resolved model id. */
  imageStepFinished(model: string): void;
}

/** A model in memory and how much of it is in use. */
export interface ModelInMemory extends ResidentModel {
  /** Slots that are held now, at most `slots`. */
  readonly slotsHeld: number;
}

export interface RunLoad {
  readonly running: number;
  readonly waiting: number;
}

/** The current load of the server. */
export interface ServerLoad {
  /** Runs that wait for a slot, over all models. */
  readonly queueDepth: number;
  readonly models: readonly ModelInMemory[];
  /** Returns the runs of a team that hold a slot or wait for one; null: of all teams. */
  runs(teamId: string | null): RunLoad;
}

/** How Redis counts rate limits. */
export interface RedisState {
  /** Why it cannot be used; null when it can. */
  readonly problem: string | null;
  /** While it cannot, each server counts for itself, or requests that a limit applies to are refused. */
  readonly withoutRedis: "open" | "closed";
  /** Counts since the start that it did not make. */
  readonly missed: number;
}
