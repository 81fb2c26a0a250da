/**
 * Writes the answer of a run: streamed, or folded into one JSON object. It owns the choice of the status (only after the run
 * has accepted its prompt), backpressure, keep-alive comments, and the one backward signal: a client that leaves aborts its
 * run. What the frames and bodies say is the dialect's; it comes in as a presenter.
 */
import { asHearthError, HearthError } from "../../core/errors.js";
import type { GenerationEvent } from "../../core/generation.js";
import type { Run } from "../../inference/run/generate.js";
import { watchClient, type Client } from "./client.js";
import type { Context } from "../context.js";
import type { BuiltDeps } from "../deps.js";
import { reportFailure } from "../middleware/errors.js";
import { openEventStream } from "./event-stream.js";
import { timingHeaders, timingTrailers } from "./timing-headers.js";

/** A dialect's stream: each string is one whole frame. */
export interface StreamPresenter {
  frames(event: GenerationEvent): readonly string[];
  /** Last frame of an answer that came to its end. */
  readonly closing: string;
  /** Stands in place of the rest when an answer fails half-way. */
  failure(error: HearthError): string;
  /** Sent when nothing else was for a while. */
  readonly ping: string;
}

/** A dialect's JSON answer, a fold of the same events. */
export interface JsonPresenter {
  add(event: GenerationEvent): void;
  body(): object;
}

export interface Reply {
  /**
   * Streams a run; resolves when the last frame is handed over or the client is gone.
   * @throws HearthError when the run fails before its first event: nothing is sent yet.
   */
  sendStream(ctx: Context, run: Run, presenter: StreamPresenter): Promise<void>;
  /**
   * Streams what is told of something that goes on without this client: by leaving, it ends nothing but its own stream.
   * @param frames until the signal aborts.
   */
  sendFrames(ctx: Context, frames: (left: AbortSignal) => AsyncIterable<string>, ping: string): Promise<void>;
  /** Answers with the whole of a run. @throws HearthError when the run fails. */
  sendJson(ctx: Context, run: Run, presenter: JsonPresenter): Promise<void>;
}

type ReplyDeps = Pick<BuiltDeps, "clock" | "limits" | "logger">;

/** Builds the writer over clock, limits and log. */
export function createReply(deps: ReplyDeps): Reply {
  return {
    sendStream: (ctx, run, presenter) => sendStream(deps, ctx, run, presenter),
    sendFrames: (ctx, frames, ping) => sendFrames(deps, ctx, frames, ping),
    sendJson,
  };
}

async function sendStream(
  deps: ReplyDeps,
  ctx: Context,
  run: Run,
  presenter: StreamPresenter,
): Promise<void> {
  const client = watchClient(ctx.req.socket, () => run.abort());
  try {
    const events = run.events[Symbol.asyncIterator]();
    const first = await events.next();
    if (first.done === true) return unfinished(client);
    ctx.set(timingHeaders(run.timings));
    ctx.respond = false;
    const stream = openEventStream(ctx.res, client, presenter.ping, deps);
    const rest = { [Symbol.asyncIterator]: () => events };
    const send = async (event: GenerationEvent): Promise<void> => {
      for (const frame of presenter.frames(event)) await stream.send(frame);
    };
    await send(first.value);
    const failure = await forward(rest, run.choices, send);
    if (failure !== null && !client.isGone()) reportFailure(deps.logger, ctx, failure);
    const last = failure === null ? presenter.closing : presenter.failure(failure);
    stream.end(last, timingTrailers(run.timings));
  } finally {
    client.unwatch();
    run.abort();
  }
}

async function sendFrames(
  deps: ReplyDeps,
  ctx: Context,
  frames: (left: AbortSignal) => AsyncIterable<string>,
  ping: string,
): Promise<void> {
  const leaving = new AbortController();
  const client = watchClient(ctx.req.socket, () => leaving.abort());
  try {
    ctx.respond = false;
    const stream = openEventStream(ctx.res, client, ping, deps);
    // There may be nothing to tell for long.
    ctx.res.flushHeaders();
    for await (const frame of frames(leaving.signal)) await stream.send(frame);
    stream.end("", {});
  } finally {
    client.unwatch();
    leaving.abort();
  }
}

async function sendJson(ctx: Context, run: Run, presenter: JsonPresenter): Promise<void> {
  const client = watchClient(ctx.req.socket, () => run.abort());
  try {
    let open = run.choices;
    for await (const event of run.events) {
      presenter.add(event);
      if (event.type === "generation-end") open -= 1;
    }
    if (open > 0) return unfinished(client);
    ctx.set(timingHeaders(run.timings));
    ctx.body = presenter.body();
  } finally {
    client.unwatch();
    run.abort();
  }
}

/** Sends what is left of a run. @returns what kept it from its end, or null. */
async function forward(
  events: AsyncIterable<GenerationEvent>,
  choices: number,
  send: (event: GenerationEvent) => Promise<void>,
): Promise<HearthError | null> {
  let open = choices;
  try {
    for await (const event of events) {
      await send(event);
      if (event.type === "generation-end") open -= 1;
    }
  } catch (thrown) {
    return asHearthError(thrown);
  }
  return open === 0 ? null : cutShort();
}

/** A run without an end: nobody is there to be told, or the server gave it up. */
function unfinished(client: Client): void {
  if (!client.isGone()) throw cutShort();
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The answer was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}
