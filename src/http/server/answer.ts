/** Answers requests to clients that wait for them. */
import { admit, admitModel, inlineFiles, type Admitted } from "../../answers/admit.js";
import { prepareAnswer } from "../../answers/deliver.js";
import type { Asking, ReadRequest, ReadyRequest, TextEndpoint } from "../../answers/endpoint.js";
import { admitEmbedding } from "../../answers/embeddings.js";
import type { EmbeddingRequest } from "../../core/embeddings/request.js";
import type { ImageGenerationRequest } from "../../core/images/image-generation.js";
import { noUsage } from "../../core/usage.js";
import type { Evaluated } from "../../inference/embeddings/embedding-run.js";
import type { AppContext } from "./app-context.js";
import { limitTokens } from "./middleware/limit.js";
import { whileClientWaits } from "./reply/client.js";
import { withOpening, type StreamOpening } from "./reply/opening.js";
import { answerHeaders } from "./reply/run-headers.js";
import { sendJson, sendStream } from "./reply/reply.js";
import type { Call } from "./route.js";

/** Returns the request of a client. @param signal aborts when the client leaves */
export function readCall(app: AppContext, call: Call, signal: AbortSignal): Asking {
  const { ctx, principal, requestId, route, body, bodyText } = call;
  return {
    principal,
    requestId,
    route,
    body,
    bodyText,
    isLine: false,
    header: (name) => ctx.get(name),
    signal,
    reserve: (...limited) => limitTokens(app, call, ...limited),
    release: (reservation) => reservation.reconcile(noUsage),
  };
}

/** Admits a request, and sends its answer. */
export async function answerCall<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: AppContext,
  endpoint: TextEndpoint<Read, Ready>,
  call: Call,
): Promise<void> {
  await admitCall(
    app,
    endpoint,
    call,
    (asking) => admit(app, endpoint, asking),
    (admitted, opening) => sendAnswer(app, endpoint, call, admitted, opening),
  );
}

/**
 * Admits a request while its client waits, then answers it. A client that reads a stream gets its headers when that takes long.
 * @param answer is not called when the client has left
 */
export async function admitCall<Read extends ReadRequest, Ready extends ReadyRequest, Result>(
  app: AppContext,
  endpoint: TextEndpoint<Read, Ready>,
  call: Call,
  work: (asking: Asking) => Promise<Result>,
  answer: (admitted: Result, opening: StreamOpening | null) => Promise<void>,
): Promise<void> {
  await withOpening(app, call.ctx, endpoint.streamForm?.(call) ?? null, async (opening) => {
    const admitted = await whileClientWaits(call.ctx.req.socket, (signal) =>
      work(readCall(app, call, signal)),
    );
    if (admitted !== null) await answer(admitted, opening);
  });
}

/** Sends the answer to an admitted request. */
export async function sendAnswer<Read extends ReadRequest, Ready extends ReadyRequest>(
  app: AppContext,
  endpoint: TextEndpoint<Read, Ready>,
  { ctx }: Call,
  admitted: Admitted<Ready>,
  opening: StreamOpening | null,
): Promise<void> {
  const id = app.random.id();
  const answer = prepareAnswer(app, endpoint, admitted, { id, createTime: app.clock.now() });
  const run = answer.start({ runId: id });
  const { presenter } = answer;
  if (opening !== null && presenter.stream !== undefined)
    await sendStream(app, ctx, run, presenter.stream(), opening);
  else await sendJson(ctx, run, presenter.json());
}

/** Returns the body of a request with the contents of its files; null when the client has left. */
export function readBodyWithFiles(app: AppContext, call: Call): Promise<{ readonly whole: unknown } | null> {
  return whileClientWaits(call.ctx.req.socket, async (signal) => ({
    whole: await inlineFiles(app, readCall(app, call, signal)),
  }));
}

/** Generates the images of a request. @returns null when the client has left. */
export async function imagesCall(app: AppContext, call: Call, request: ImageGenerationRequest) {
  const { ctx, principal, requestId, route } = call;
  const context = { principal, requestId, endpoint: route.path };
  const result = await whileClientWaits(ctx.req.socket, async (signal) => {
    // Image generation is not counted in tokens.
    await admitModel(app, readCall(app, call, signal), { ...request, kind: "image", prompt: null });
    return app.imageGenerator.generateImages(request, context, signal);
  });
  if (result !== null) ctx.set(answerHeaders(result));
  return result;
}

/** Embeds the inputs of a request. @returns null when the client has left. */
export async function embedCall(
  app: AppContext,
  call: Call,
  request: EmbeddingRequest,
  keepAliveMs?: number,
): Promise<Evaluated | null> {
  const { ctx, principal, requestId, route } = call;
  const result = await whileClientWaits(ctx.req.socket, async (signal) => {
    const tokenReservation = await admitEmbedding(app, readCall(app, call, signal), request);
    const context = { principal, requestId, endpoint: route.path, tokenReservation, keepAliveMs };
    return app.embedder.embed(request, context, signal);
  });
  if (result !== null) ctx.set(answerHeaders(result));
  return result;
}
