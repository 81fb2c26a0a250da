/**
 * The beginning of a stream. Its headers are sent with the first frame, or with a ping once the client has waited for `pingEveryMs` without a
 * byte, so that no proxy gives up: for the admission of its request, a slot, or the first token.
 */
import type { ServerResponse } from "node:http";
import type { Context } from "../context.js";
import { toHearthError } from "../../../core/errors.js";
import type { AppContext } from "../app-context.js";
import { reportFailure } from "../middleware/errors.js";
import type { FrameForm, StreamForm } from "../../../answers/endpoint.js";
import { watchClient, type Client } from "./client.js";
import { lateTrailerNames, trailerNames } from "./run-headers.js";
import { setProbeFrame } from "./half-closed.js";

export type StreamOpening = ReturnType<typeof createOpening>;

type Headers = Readonly<Record<string, string>>;

/** Begins to wait for the first frame. The caller closes it. */
export function createOpening(app: AppContext, ctx: Context, form: FrameForm) {
  const client = watchClient(ctx.req.socket, () => undefined);
  let stream: EventStream | null = null;
  let listHeaders: (() => Headers) | null = null;
  /** Whether the answer had no headers yet when they were sent. */
  let isEarly = false;
  let hasFrames = false;
  const stopWaiting = app.clock.after(app.limits.pingEveryMs, () => {
    isEarly = listHeaders === null;
    void openNow().send(form.ping);
  });
  const openNow = (): EventStream => {
    stopWaiting();
    if (stream !== null) return stream;
    ctx.set(listHeaders?.() ?? {});
    ctx.respond = false;
    const trailers = isEarly ? lateTrailerNames : trailerNames;
    return (stream = openEventStream(ctx.res, client, form, app, trailers));
  };
  return {
    isOpen: (): boolean => stream !== null,
    /** Whether only pings were sent. */
    isSilent: (): boolean => !hasFrames,
    /** Says which headers the answer has, as they are known when they are sent. */
    setHeaders(list: () => Headers): void {
      listHeaders = list;
    },
    /** Sends the headers, unless they are sent, for a first frame. */
    open(): EventStream {
      hasFrames = true;
      return openNow();
    },
    /** Returns the headers that were not known when the headers were sent: they are trailers. */
    lateHeaders: (): Headers => (isEarly ? (listHeaders?.() ?? {}) : {}),
    close(): void {
      stopWaiting();
      client.unwatch();
    },
  };
}

/**
 * Runs the work for an answer that may be streamed. Its failure before the headers are sent is thrown; one after a ping is the last frame.
 * @param form of the stream; null: the answer is not streamed
 */
export async function withOpening(
  app: AppContext,
  ctx: Context,
  form: StreamForm | null,
  work: (opening: StreamOpening | null) => Promise<void>,
): Promise<void> {
  if (form === null) return work(null);
  const opening = createOpening(app, ctx, form);
  try {
    await work(opening);
  } catch (thrown) {
    if (!opening.isOpen() || !opening.isSilent()) throw thrown;
    const error = toHearthError(thrown);
    reportFailure(app.logger, ctx, error);
    opening.open().end(form.refusal(error), {});
  } finally {
    opening.close();
  }
}

const eventStreamType = "text/event-stream";

type EventStream = ReturnType<typeof openEventStream>;

/**
 * Sends status 200 and the headers of a stream, which announce its trailers; writes `ping` whenever no frame was written for `pingEveryMs`.
 */
function openEventStream(
  res: ServerResponse,
  client: Client,
  { contentType = eventStreamType, ping }: FrameForm,
  { clock, limits }: AppContext,
  trailers: string,
) {
  let sentAt = clock.monotonic();
  let stopPinging = clock.after(limits.pingEveryMs, beat);
  void client.closed.then(() => stopPinging());
  setProbeFrame(res, contentType === eventStreamType ? ":\n\n" : ping);
  res.writeHead(200, { "content-type": contentType, ...listHeaders(res, trailers) });

  function beat(): void {
    if (client.isDisconnected()) return;
    const now = clock.monotonic();
    if (now - sentAt >= limits.pingEveryMs) {
      if (!res.writableNeedDrain) res.write(ping);
      sentAt = now;
    }
    stopPinging = clock.after(sentAt + limits.pingEveryMs - now, beat);
  }

  async function drained(): Promise<void> {
    const giveUp = clock.after(limits.stalledReaderMs, () => res.req.socket.destroy());
    let onDrain = (): void => undefined;
    const drain = new Promise<void>((resolve) => res.once("drain", (onDrain = resolve)));
    await Promise.race([drain, client.closed]);
    res.off("drain", onDrain);
    giveUp();
  }

  return {
    /** Writes one frame; resolves when the client can receive the next one. Does nothing after a disconnect. */
    async send(frame: string): Promise<void> {
      if (client.isDisconnected()) return;
      sentAt = clock.monotonic();
      if (!res.write(frame)) await drained();
    },
    /** Writes the last frame and ends the response; trailers are sent over HTTP/1.1 only. */
    end(frame: string, trailers: Readonly<Record<string, string>>): void {
      stopPinging();
      if (client.isDisconnected()) return;
      res.addTrailers(trailers);
      res.end(frame);
    },
  };
}

function listHeaders(res: ServerResponse, trailers: string): Record<string, string> {
  return {
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    // Trailers require the chunked encoding, which neither HTTP/1.0 nor the answer to HEAD has.
    ...(res.req.httpVersion === "1.1" && res.req.method !== "HEAD" ? { trailer: trailers } : {}),
  };
}
