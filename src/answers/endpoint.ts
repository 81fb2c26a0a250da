/**
 * An endpoint whose requests a text model answers. It says how a request is read and how its answer is presented; admit.ts and deliver.ts do
 * the rest for a client, a job of the queue or a line of a batch.
 */
import type { EstimatedPrompt } from "../accounts/limits/prompt-estimate.js";
import type { Principal } from "../accounts/principals/api-key.js";
import type { HearthError } from "../core/errors.js";
import type { GenerationRequest } from "../core/generation.js";
import type { TokenReservation } from "../core/limits.js";
import type { Model } from "../core/model.js";
import type { RunEvent } from "../core/run-event.js";
import type { Usage } from "../core/usage.js";
import { invalidValue } from "../dialects/field-error.js";
import type { RunRecorder } from "../inference/run/run-record.js";
import type { AllowedCall, ServerTool } from "../inference/run/run-context.js";
import type { RunTimings } from "../inference/run/text/timings.js";
import type { AnswerContext } from "./context.js";

/** What is known of a request before its body is parsed. */
export interface UnreadRequest {
  readonly requestId: string;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** A request of a client, a job or a line of a batch. */
export interface Asking extends UnreadRequest {
  readonly principal: Principal;
  readonly route: { readonly path: string; readonly acl: string | null };
  /** The JSON text of the body if it may have numbers that JSON.parse rounds; null otherwise. */
  readonly bodyText: string | null;
  /** Whether it is a line of a batch, which is answered as a whole, later, and together with others. */
  readonly isLine: boolean;
  /** Returns a header of the request; the empty string without it. */
  readonly header: (name: string) => string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Applies the limits on a model, and reserves the estimated tokens: see `reserveTokens`. @throws HearthError `rate_limited`. */
  reserve(modelId: string, prompt: EstimatedPrompt | null, endUser: string | null): Promise<TokenReservation>;
  /** Gives back what is reserved for a request that will not run. */
  release(reservation: TokenReservation): void;
}

/** Returns whether a body asks for a stream. */
export function requestsStream({ body }: UnreadRequest): boolean {
  return typeof body === "object" && body !== null && "stream" in body && body.stream === true;
}

/** Refuses fields of a line of a batch. @param requested the fields that no line may have, and whether this one has them @throws HearthError `invalid_value` */
export function refuseInBatch({ isLine }: Asking, requested: Readonly<Record<string, boolean>>): void {
  if (!isLine) return;
  for (const [field, isRequested] of Object.entries(requested))
    if (isRequested) throw invalidValue(field, "is not allowed in a batch");
}

/** Loads nothing: the request has all that it runs with. */
export function loadNothing<Ready>(_asking: Asking, read: Ready): Promise<Ready> {
  return Promise.resolve(read);
}

/** A request whose model is known. */
export interface ReadRequest {
  readonly request: { readonly model: string };
}

/** A request that can run. */
export interface ReadyRequest {
  readonly request: GenerationRequest;
  /** Whether the client reads the answer as a stream. */
  readonly stream: boolean;
  /** How long the model stays in memory unused from then on; absent: as before. */
  readonly keepAliveMs?: number;
  /** The tools of the request whose calls the server executes within the answer; absent: none. */
  readonly serverTools?: readonly ServerTool[];
  /** Calls that the user has allowed; absent: none. */
  readonly allowedCalls?: readonly AllowedCall[];
  /** Gives back what the request holds besides its tokens: called once, when its run has ended or will not begin. */
  readonly close?: () => void;
}

export interface TextEndpoint<
  Read extends ReadRequest,
  Ready extends ReadyRequest,
  Shown extends Presenter = Presenter,
> {
  /** Returns how the answer is streamed; null: the client reads it as a whole. Absent: it is never streamed. */
  streamForm?(request: UnreadRequest): StreamForm | null;
  /** Whether a body can have files, whose contents are put into it before it is parsed. */
  readonly takesFiles: boolean;
  /** Parses a body, which has the contents of its files. @throws HearthError that names the field. */
  parse(asking: Asking, body: unknown, app: AnswerContext): Read;
  /** Adds what is stored to a request whose key may use the endpoint and the model. What it holds, it gives back if it fails. */
  load(asking: Asking, read: Read, app: AnswerContext): Promise<Ready>;
  /**
   * Work of a request that may run: it lists tools, or shortens the conversation. Absent: none.
   * @returns the request that runs, which closes what the given one holds
   */
  prepare?(asking: Asking, ready: Ready, app: AnswerContext): Promise<Ready>;
  /** Presents the answer. Called before the run begins. */
  present(ready: Ready, identity: AnswerIdentity, app: AnswerContext): Shown;
}

/** What an answer says of itself. */
export interface AnswerIdentity {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
  readonly principal: Principal;
  readonly requestId: string;
  /** The times of its run, which has begun. */
  readonly timings: () => RunTimings;
}

/** One answer, in each of the forms in which it can be delivered. */
export interface Presenter {
  /** For a client that reads a stream; absent: it is never streamed. */
  stream?(): StreamPresenter;
  /** For those who take it as a whole. */
  json(): JsonPresenter;
  /** Stores it with the end of its run; absent: it is not stored. */
  readonly recorder?: RunRecorder;
}

/** How a stream is sent besides its frames. */
export interface FrameForm {
  /** Absent: `text/event-stream`. */
  readonly contentType?: string;
  /** Keep-alive frame. */
  readonly ping: string;
}

/** How the answer to a request is streamed, also while the request is not admitted yet. */
export interface StreamForm extends FrameForm {
  /** Returns all that a stream has of a request that is refused, or whose run cannot start, after a ping. */
  refusal(error: HearthError): string;
}

/** Converts events to the frames of a dialect; each string is one whole frame. */
export interface StreamPresenter {
  frames(event: RunEvent): readonly string[];
  /** Last frame of a complete answer. */
  readonly closing: string;
  /** Returns the last frame of an answer that fails after its first frame. @param usage of the run, with what it is charged */
  failure(error: HearthError, usage: Usage | null): string;
}

/** Folds events into the JSON answer of a dialect. */
export interface JsonPresenter {
  add(event: RunEvent): void;
  /** Returns the answer, or its JSON text. */
  body(): object | string;
}
