/** What POST /api/chat and POST /api/generate have in common: both answer a run, or only load or unload a model. */
import type { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import { ollamaErrorBody } from "../../dialects/error-body.js";
import type { AnswerIdentity } from "../../dialects/ollama/answer.js";
import { jsonLine, linesType } from "../../dialects/ollama/lines.js";
import type { AppContext } from "../server/app-context.js";
import { reserveTokens } from "../server/middleware/limit.js";
import { authoriseModel } from "../../answers/authorise-model.js";
import { whileClientWaits } from "../server/reply/client.js";
import { type JsonPresenter, type StreamPresenter, sendJson, sendStream } from "../server/reply/reply.js";
import type { Call } from "../server/route.js";
import { knownName } from "./names.js";

/** A parsed request. */
interface ParsedRequest {
  readonly request: GenerationRequest | null;
  readonly model: string;
  readonly stream: boolean;
  readonly keepAliveMs: number | undefined;
}

/** How the answers of one endpoint are encoded. */
export interface AnswerForm {
  parse(body: unknown, bodyText: string | null): ParsedRequest;
  loaded(identity: AnswerIdentity, reason: "load" | "unload"): object;
  /** A line without text. */
  empty(identity: AnswerIdentity): object;
  encoder(identity: AnswerIdentity): LineEncoder;
  fold(identity: AnswerIdentity): LineFold;
}

interface WithTexts {
  /** JSON texts of objects whose numbers the values do not keep. */
  readonly texts?: ReadonlyMap<object, string>;
}

interface LineEncoder extends WithTexts {
  lines(event: RunEvent): readonly object[];
}

interface LineFold extends WithTexts {
  add(event: RunEvent): void;
  result(): object;
}

/** Answers a request of an endpoint. */
export async function answerIn(form: AnswerForm, call: Call, app: AppContext): Promise<void> {
  const { ctx, principal, body, bodyText, requestId, route } = call;
  const { request, model, stream, keepAliveMs } = form.parse(body, bodyText);
  const name = knownName(app.models, model);
  authoriseModel(app.models, call, name);
  const created = app.clock.now();
  if (request === null) {
    const identity = { model, created, times: timesFrom(app) };
    return loadOnly(form, app, call, { identity, name, keepAliveMs });
  }
  const known = { ...request, model: name };
  const tokenReservation = await reserveTokens(app, call, name, known);
  const context = {
    principal,
    requestId,
    endpoint: route.path,
    streamed: stream,
    tokenReservation,
    keepAliveMs,
  };
  const run = app.generator.start(known, context);
  const identity = { model, created, times: () => run.timings };
  if (stream) await sendStream(app, ctx, run, streamPresenter(form, identity));
  else await sendJson(ctx, run, jsonPresenter(form, identity));
}

interface LoadOnly {
  readonly identity: AnswerIdentity;
  readonly name: string;
  readonly keepAliveMs: number | undefined;
}

async function loadOnly(
  form: AnswerForm,
  { generator }: AppContext,
  { ctx }: Call,
  { identity, name, keepAliveMs }: LoadOnly,
): Promise<void> {
  const isLoaded = await whileClientWaits(ctx.req.socket, (signal) =>
    generator.preloader.preload(name, keepAliveMs, signal),
  );
  if (isLoaded !== null) ctx.body = form.loaded(identity, isLoaded ? "load" : "unload");
}

function timesFrom({ clock }: AppContext): AnswerIdentity["times"] {
  const began = clock.monotonic();
  return () => ({ elapsedMs: clock.monotonic() - began, loadMs: null, prefillMs: null, decodeMs: null });
}

function streamPresenter(form: AnswerForm, identity: AnswerIdentity): StreamPresenter {
  const encoder = form.encoder(identity);
  return {
    contentType: linesType,
    frames: (event) => encoder.lines(event).map((line) => jsonLine(line, encoder.texts)),
    closing: "",
    failure: (error: HearthError) => jsonLine(ollamaErrorBody(error)),
    // Lines have no comments, and clients parse each one.
    ping: jsonLine(form.empty(identity)),
  };
}

function jsonPresenter(form: AnswerForm, identity: AnswerIdentity): JsonPresenter {
  const fold = form.fold(identity);
  return {
    add: (event) => fold.add(event),
    body: () => jsonLine(fold.result(), fold.texts).trimEnd(),
  };
}
