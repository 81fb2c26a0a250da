/**
 * Writes the answer of a run: as a stream, or folded into one JSON object. The status is sent only after the run has accepted its
 * prompt; a stream sends it earlier where that takes long, so that no proxy gives up. Handles backpressure and keep-alive frames, and aborts the run when the client disconnects. The presenter of the dialect
 * supplies frames and bodies.
 */
import { HearthError, toHearthError } from "../../../core/errors.js";
import type { RunEvent } from "../../../core/run-event.js";
import type { TextRun } from "../../../inference/run/text/text-run.js";
import { type Client, watchClient } from "./client.js";
import type { Context } from "../context.js";
import type { AppContext } from "../app-context.js";
import { reportFailure } from "../middleware/errors.js";
import type { FrameForm, JsonPresenter, StreamPresenter } from "../../../answers/endpoint.js";
import { createOpening, type StreamOpening } from "./opening.js";
import { costHeader, runHeaders, runTrailers } from "./run-headers.js";

/**
 * Streams a run; resolves when the last frame is written or the client disconnects. A failure after the headers, which may be sent already,
 * is a frame.
 * @throws HearthError when the run fails before the headers are sent.
 */
export async function sendStream(
  app: AppContext,
  ctx: Context,
  run: TextRun,
  presenter: StreamPresenter,
  opening: StreamOpening,
): Promise<void> {
  const client = watchClient(ctx.req.socket, () => run.abort());
  opening.setHeaders(() => runHeaders(run));
  const send = async (event: RunEvent): Promise<void> => {
    const stream = opening.open();
    for (const frame of presenter.frames(event)) await stream.send(frame);
  };
  try {
    const failure = await forward(run.events, run.request.choices, send);
    if (failure !== null && !opening.isOpen()) return rejectUnsent(client, failure);
    if (failure !== null && !client.isDisconnected()) reportFailure(app.logger, ctx, failure);
    const last = failure === null ? presenter.closing : presenter.failure(failure, run.finalUsage);
    opening.open().end(last, { ...opening.lateHeaders(), ...runTrailers(run) });
  } catch (thrown) {
    setCost(ctx, run);
    throw thrown;
  } finally {
    client.unwatch();
    run.abort();
  }
}

/**
 * Streams frames of work that does not depend on this client: a disconnect ends only the stream.
 * @param frames returns the frames; its signal aborts when the client disconnects.
 */
export async function sendFrames(
  app: AppContext,
  ctx: Context,
  frames: (left: AbortSignal) => AsyncIterable<string>,
  form: FrameForm,
  opening: StreamOpening = createOpening(app, ctx, form),
): Promise<void> {
  const leaving = new AbortController();
  const client = watchClient(ctx.req.socket, () => leaving.abort());
  try {
    const stream = opening.open();
    // The first frame can take long; the client receives the headers before it.
    ctx.res.flushHeaders();
    // To HEAD the headers are the whole answer.
    if (ctx.method !== "HEAD") for await (const frame of frames(leaving.signal)) await stream.send(frame);
    stream.end("", {});
  } finally {
    opening.close();
    client.unwatch();
    leaving.abort();
  }
}

/** Sends the answer of a finished run as JSON. @throws HearthError when the run fails. */
export async function sendJson(ctx: Context, run: TextRun, presenter: JsonPresenter): Promise<void> {
  const client = watchClient(ctx.req.socket, () => run.abort());
  try {
    let open = run.request.choices;
    for await (const event of run.events) {
      presenter.add(event);
      if (event.type === "generation-end") open -= 1;
    }
    if (open > 0) return rejectUnsent(client, cutShort());
    ctx.set(runHeaders(run));
    const body = presenter.body();
    if (typeof body === "string") ctx.type = "application/json";
    ctx.body = body;
  } catch (thrown) {
    setCost(ctx, run);
    throw thrown;
  } finally {
    client.unwatch();
    run.abort();
  }
}

/** Sets the header with what a failed run was charged, for the answer with the error. */
function setCost(ctx: Context, run: TextRun): void {
  if (!ctx.headerSent) ctx.set(costHeader(run.costTicks));
}

/** Sends the remaining events of a run. @returns the error that ended it early, or null. */
async function forward(
  events: AsyncIterable<RunEvent>,
  choices: number,
  send: (event: RunEvent) => Promise<void>,
): Promise<HearthError | null> {
  let open = choices;
  try {
    for await (const event of events) {
      await send(event);
      if (event.type === "generation-end") open -= 1;
    }
  } catch (thrown) {
    return toHearthError(thrown);
  }
  return open === 0 ? null : cutShort();
}

/** Handles the failure of a run of which nothing was sent. @throws HearthError unless the client has disconnected. */
function rejectUnsent(client: Client, failure: HearthError): void {
  if (!client.isDisconnected()) throw failure;
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The answer was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}
