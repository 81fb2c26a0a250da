/**
 * The request of a batch line, admitted and ready to run: it is answered as the route of its endpoint answers a request of its own, so
 * that the body of its answer is what the route would have answered.
 */
import type { Principal } from "../../accounts/principals/api-key.js";
import { admit } from "../../answers/admit.js";
import { chat } from "../../answers/chat.js";
import { completions } from "../../answers/completions.js";
import { prepareAnswer } from "../../answers/deliver.js";
import { admitEmbedding } from "../../answers/embeddings.js";
import type { Asking, ReadRequest, ReadyRequest, TextEndpoint } from "../../answers/endpoint.js";
import { messages } from "../../answers/messages/messages.js";
import { responses } from "../../answers/responses/responses.js";
import type { EmbeddingRequest } from "../../core/embeddings/request.js";
import { noUsage } from "../../core/usage.js";
import { encodeEmbedding, encodeEmbeddingUsage } from "../../dialects/openai-embeddings/encode.js";
import { parseEmbeddingRequest } from "../../dialects/openai-embeddings/parse.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { Evaluated } from "../../inference/embeddings/embedding-run.js";
import type { RunContext } from "../../inference/run/run-context.js";
import { toJobRun, type JobRun } from "../handler.js";
import { type AdmittedLine, type LineContext, reserveLine } from "./admitted-line.js";

/** The routes whose requests a batch can have, with their ACL. */
export const batchEndpoints = {
  "/v1/chat/completions": "chat",
  "/v1/responses": "chat",
  "/v1/completions": "sample",
  "/v1/embeddings": "embed",
} as const;

/** Returns the ACL of a line's endpoint. */
export function findEndpointAcl(endpoint: string): string {
  return (batchEndpoints as Readonly<Record<string, string>>)[endpoint] ?? "chat";
}

/** The route of the requests of a message batch. */
export const messagesEndpoint = "/v1/messages";

interface Line {
  readonly endpoint: string;
  /** JSON text. */
  readonly body: string;
  readonly principal: Principal;
  /** The id of its job. */
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Admits the request of a line. @throws HearthError as the route does, and `rate_limited` with the time to wait if it may ever start. */
export async function admitLine(app: LineContext, line: Line): Promise<AdmittedLine> {
  const { value, text } = await app.parseJson(Buffer.from(line.body));
  const asking = readLine(app, line, value, text);
  switch (line.endpoint) {
    case "/v1/embeddings":
      return embeddingLine(app, asking);
    case "/v1/responses":
      return textLine(app, responses, asking);
    case "/v1/completions":
      return textLine(app, completions, asking);
    case messagesEndpoint:
      return textLine(app, messages, asking);
    default:
      return textLine(app, chat, asking);
  }
}

function readLine(
  app: LineContext,
  { endpoint, principal, requestId, signal }: Line,
  body: unknown,
  bodyText: string | null,
): Asking {
  return {
    principal,
    requestId,
    route: { path: endpoint, acl: findEndpointAcl(endpoint) },
    body,
    bodyText,
    isLine: true,
    header: () => "",
    signal,
    reserve: (...limited) => reserveLine(app, principal, ...limited),
    release: (reservation) => reservation.reconcile(noUsage),
  };
}

async function textLine<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: LineContext,
  endpoint: TextEndpoint<Read, Ready>,
  asking: Asking,
): Promise<AdmittedLine> {
  const { clock, random, pricePercent } = app;
  const admitted = await admit(app, endpoint, asking);
  const settings = { id: random.id(), createTime: clock.now(), pricePercent };
  const answer = prepareAnswer(app, endpoint, admitted, settings);
  const { recorder } = answer.presenter;
  const json = answer.presenter.json();
  let warnings: readonly string[] = [];
  return {
    reservation: admitted.reservation,
    start(context) {
      const run = answer.start(context);
      ({ warnings } = run);
      return toJobRun(run);
    },
    add(event) {
      recorder?.add(event);
      json.add(event);
    },
    writes: (end) => recorder?.writes(end) ?? [],
    answer() {
      const body = json.body();
      return typeof body === "string" ? body : JSON.stringify(body);
    },
    warnings: () => warnings,
  };
}

/** Admits the request of a line that embeds texts. @throws HearthError as the route does. */
async function embeddingLine(app: LineContext, asking: Asking): Promise<AdmittedLine> {
  const { embedder, pricePercent } = app;
  const { request, format } = parseEmbeddingRequest(asking.body);
  const reservation = await admitEmbedding(app, asking, request);
  let evaluated: Evaluated | null = null;
  return {
    reservation,
    start: (context) =>
      startEmbedding(embedder, request, { ...context, pricePercent }, (result) => (evaluated = result)),
    add: () => undefined,
    warnings: () => [],
    writes: () => [],
    answer() {
      if (evaluated === null) throw new Error("the run is not complete");
      const data = evaluated.vectors.map((vector, index) => encodeEmbedding(vector, index, format));
      return JSON.stringify({ data, ...encodeEmbeddingUsage(request.model, evaluated) });
    },
  };
}

function startEmbedding(
  embedder: Embedder,
  request: EmbeddingRequest,
  context: RunContext,
  onEvaluated: (evaluated: Evaluated) => void,
): JobRun {
  const aborting = new AbortController();
  let isRecorded = false;
  const running = embedder.embed(request, context, aborting.signal, (end, evaluated) => {
    isRecorded = true;
    if (evaluated !== null) onEvaluated(evaluated);
    return context.recorder === undefined ? [] : context.recorder.writes(end);
  });
  const ended = running.then(
    () => undefined,
    (thrown: unknown) => {
      // The recorder has written the failure of a run that had started.
      if (!isRecorded) throw thrown;
    },
  );
  return { abort: () => aborting.abort(), ended };
}
