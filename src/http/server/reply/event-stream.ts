import type { ServerResponse } from "node:http";
import type { FrameForm } from "../../../answers/endpoint.js";
import type { Client } from "./client.js";
import type { AppContext } from "../app-context.js";
import { setProbeFrame } from "./half-closed.js";

const eventStreamType = "text/event-stream";

export type EventStream = ReturnType<typeof openEventStream>;

/**
 * Sends status 200 and the headers of a stream, which announce its trailers; writes `ping` whenever no frame was written for `pingEveryMs`.
 */
export function openEventStream(
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
