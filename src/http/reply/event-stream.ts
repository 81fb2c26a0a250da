import type { ServerResponse } from "node:http";
import type { Client } from "./client.js";
import type { BuiltDeps } from "../deps.js";
import { trailerNames } from "./timing-headers.js";

export interface EventStream {
  /** Writes one frame in one piece; resolves when the client can take the next. Does nothing once the client is gone. */
  send(frame: string): Promise<void>;
  /** Writes the last frame and ends the answer; the trailers go to whoever speaks HTTP/1.1. */
  end(frame: string, trailers: Readonly<Record<string, string>>): void;
}

/** Commits status 200 and the headers of an event stream; from here on `ping` is written whenever it is silent for long. */
export function openEventStream(
  res: ServerResponse,
  client: Client,
  ping: string,
  { clock, limits }: Pick<BuiltDeps, "clock" | "limits">,
): EventStream {
  let sentAt = clock.monotonic();
  let stopPinging = clock.after(limits.pingEveryMs, beat);
  void client.left.then(() => stopPinging());
  res.writeHead(200, headersOf(res));

  function beat(): void {
    if (client.isGone()) return;
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
    await Promise.race([drain, client.left]);
    res.off("drain", onDrain);
    giveUp();
  }

  return {
    async send(frame) {
      if (client.isGone()) return;
      sentAt = clock.monotonic();
      if (!res.write(frame)) await drained();
    },
    end(frame, trailers) {
      stopPinging();
      if (client.isGone()) return;
      res.addTrailers(trailers);
      res.end(frame);
    },
  };
}

function headersOf(res: ServerResponse): Record<string, string> {
  return {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    // An answer to HTTP/1.0 has no chunks, and so no room for trailers.
    ...(res.req.httpVersion === "1.1" ? { trailer: trailerNames } : {}),
  };
}
