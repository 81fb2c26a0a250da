/** The port to traces. It only receives events; no method throws, and none waits for what collects them. */
import type { FinishedRun } from "../metrics.js";
import type { RunOperation } from "./run-operation.js";

/** What a request asks of its model, besides its content; absent or null: nothing is stated. */
export interface RunParameters {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number | null;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number | null;
  readonly maxTokens?: number | null;
  readonly choices?: number;
}

/** A request of HTTP whose headers have arrived. */
export interface StartedRequest {
  readonly requestId: string;
  readonly method: string;
  /** `http` or `https`. */
  readonly scheme: string;
  /** Host name and port that the client addressed; null: it sent none. */
  readonly host: string | null;
  readonly userAgent: string | null;
  /** Headers `traceparent` and `tracestate` as the client sent them; absent: not sent. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface EndedRequest {
  /** Pattern of the matched route; null: none matched. */
  readonly route: string | null;
  readonly status: number;
  /** Whether the client left before it had the whole response. */
  readonly clientLeft: boolean;
}

/** A run that was admitted. */
export interface StartedRun {
  readonly id: string;
  readonly requestId: string;
  readonly operation: RunOperation;
  /** Resolved model id. */
  readonly model: string;
  /** The model's name in the request: an id or an alias. */
  readonly requestedModel: string;
  /** The route, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly teamId: string;
  readonly apiKeyId: string;
  readonly workClass: string;
  readonly streamed: boolean;
  readonly parameters: RunParameters;
}

export interface EndedRun extends FinishedRun {
  /** Finish reasons of the choices that ended, in the order of their ends. */
  readonly finishReasons: readonly string[];
  /** What it is charged. */
  readonly costTicks: number;
  /** What the model read and wrote, as JSON texts; null: it is not recorded. */
  readonly content: { readonly input: string; readonly output: string } | null;
}

/** A request to a remote engine. */
export interface StartedCall {
  readonly operation: "chat" | "embeddings";
  /** What the engine is, such as `vllm`. */
  readonly provider: string;
  /** What the engine calls the model. */
  readonly model: string;
  /** Host name, and port if it is not the usual one. */
  readonly host: string;
}

export interface EndedCall {
  /** Kind of the error; null: it was answered, or its client has left. */
  readonly errorKind: string | null;
}

/** Something that has begun, until it ends. */
export interface Span<End> {
  /** Identifies it in the form of the header `traceparent`; null: nothing is traced. */
  readonly id: string | null;
  /** Does work: the runs and the remote calls that begin in it belong to the span. */
  within<Result>(work: () => Result): Result;
  end(end: End): void;
}

export interface Tracing {
  /** Whether spans hold what models read and write. */
  readonly takesContent: boolean;
  startRequest(request: () => StartedRequest): Span<EndedRequest>;
  startRun(run: () => StartedRun): Span<EndedRun>;
  startCall(call: () => StartedCall): Span<EndedCall>;
  /** Does work that belongs to no span, though it may begin within one. */
  detached<Result>(work: () => Result): Result;
  /** Returns the headers by which a remote call names the span that it belongs to; empty: there is none. */
  headers(): Readonly<Record<string, string>>;
}

const noSpan: Span<unknown> = { id: null, within: (work) => work(), end: () => undefined };

/** Traces nothing. */
export const noTracing: Tracing = {
  takesContent: false,
  startRequest: () => noSpan,
  startRun: () => noSpan,
  startCall: () => noSpan,
  detached: (work) => work(),
  headers: () => ({}),
};
