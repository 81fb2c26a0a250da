/**
 * Admits requests of models. For a text model: files, parse, authorise, what is stored, tokens, and what must be done before its run. The order is the
 * same for every endpoint, and for a client, a job and a line of a batch.
 */
import { authorise } from "../accounts/principals/permissions.js";
import type { EstimatedPrompt } from "../accounts/limits/prompt-estimate.js";
import { unlimitedReservation } from "../accounts/limits/rate-limits.js";
import type { TokenReservation } from "../core/limits.js";
import { completeRequest, type ModelKind } from "../core/model.js";
import { readEndUser, type RequestLabels } from "../core/requests/labels.js";
import { authoriseModel, type Ability } from "./authorise-model.js";
import type { AnswerContext } from "./context.js";
import type { Asking, ReadRequest, ReadyRequest, TextEndpoint } from "./endpoint.js";
import { hasFiles } from "./prompt-files.js";

/** A request that is admitted: its run can begin. */
export interface Admitted<Ready extends ReadyRequest> {
  readonly asking: Asking;
  readonly ready: Ready;
  readonly reservation: TokenReservation;
}

/** Admits a request. @throws HearthError why it is not; nothing is held then. @throws the signal's reason. */
export async function admit<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: AnswerContext,
  endpoint: TextEndpoint<Read, Ready>,
  asking: Asking,
): Promise<Admitted<Ready>> {
  return reserve(app, endpoint, asking, await load(app, endpoint, asking));
}

/** The part of an admission before tokens are reserved. The caller closes what it returns, or reserves it. */
export async function load<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: AnswerContext,
  endpoint: TextEndpoint<Read, Ready>,
  asking: Asking,
): Promise<Ready> {
  const body = endpoint.takesFiles ? await inlineFiles(app, asking) : asking.body;
  const read = endpoint.parse(asking, body, app);
  authoriseModel(app.models, asking, read.request.model);
  return endpoint.load(asking, read, app);
}

/** The rest of an admission. */
export async function reserve<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: AnswerContext,
  endpoint: TextEndpoint<Read, Ready>,
  asking: Asking,
  ready: Ready,
): Promise<Admitted<Ready>> {
  let reservation: TokenReservation | null = null;
  try {
    reservation = await reserveTokens(app, asking, ready.request.model, ready.request);
    const prepared = endpoint.prepare === undefined ? ready : await endpoint.prepare(asking, ready, app);
    return { asking, ready: { ...prepared, close: once(prepared.close) }, reservation };
  } catch (thrown) {
    if (reservation !== null) asking.release(reservation);
    ready.close?.();
    throw thrown;
  }
}

/** A request of a model that does not answer with text. */
interface ModelRequest {
  /** The model's name in the request. */
  readonly model: string;
  readonly kind: ModelKind;
  readonly ability?: Ability;
  /** What the model reads; null: it is not counted in tokens. */
  readonly prompt: EstimatedPrompt | null;
  readonly labels?: RequestLabels;
}

/** Admits a request of a model that does not answer with text. @throws HearthError why it is not admitted; nothing is held then. */
export async function admitModel(
  app: AnswerContext,
  asking: Asking,
  { model, kind, ability, prompt, labels }: ModelRequest,
): Promise<TokenReservation> {
  authoriseModel(app.models, asking, model, kind, ability);
  return reserveTokens(app, asking, model, prompt, labels);
}

/**
 * Applies the limits on a model and reserves the estimated tokens of a request. The caller must reconcile the reservation.
 * @param prompt the request, what a model reads of it, or a text to tokenize; null: it is not counted in tokens.
 * @param labels name the end user; of a request that generates text, its own.
 * @throws HearthError `rate_limited`.
 */
export async function reserveTokens(
  { models }: AnswerContext,
  asking: Asking,
  name: string,
  prompt: EstimatedPrompt | null,
  labels?: RequestLabels,
): Promise<TokenReservation> {
  const model = models.find(name);
  // The names that do not exist are not counted, because their number is unlimited. Texts may be tokenized as a hosted model does.
  if (model === null && typeof prompt !== "string") return unlimitedReservation;
  const isGeneration = prompt !== null && typeof prompt !== "string" && "messages" in prompt;
  const whole = isGeneration && model !== null ? completeRequest(prompt, model) : prompt;
  return asking.reserve(
    model?.manifest.id ?? name,
    whole,
    readEndUser(isGeneration ? prompt.labels : labels),
  );
}

/** Returns a function that closes at its first call. */
function once(close: (() => void) | undefined): () => void {
  let isClosed = close === undefined;
  return () => {
    if (!isClosed) close?.();
    isClosed = true;
  };
}

/**
 * Puts the contents of files into the body of a request. Files are expensive to fetch and read: the key must be allowed to use the
 * endpoint and the model before.
 * @throws HearthError as `PromptFiles.inline` and `authoriseModel` do.
 */
export async function inlineFiles({ models, promptFiles }: AnswerContext, asking: Asking): Promise<unknown> {
  const { principal, body, route, signal } = asking;
  if (!hasFiles(body)) return body;
  const model = readModelName(body);
  if (model === null) authorise(principal, { endpoint: route.acl, model: null });
  else authoriseModel(models, asking, model);
  return promptFiles.inline(principal, body, signal);
}

/** Returns the name of the model in a body that is not parsed yet; null when it has none. */
function readModelName(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("model" in body)) return null;
  return typeof body.model === "string" ? body.model : null;
}
