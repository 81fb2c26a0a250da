import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../core/clock.js";
import { HearthError } from "../../../core/errors.js";
import type { Context } from "../context.js";

/** Graceful shutdown: rejects new requests and waits for responses in flight. */
export type Drain = ReturnType<typeof createDrain>;

/** Builds a drain that admits requests until `start` is called. */
export function createDrain(clock: Clock) {
  const inFlight = new Set<ServerResponse>();
  let retryAfterSeconds: number | null = null;
  let onEmpty = (): void => undefined;
  return {
    /** Counts a response as in flight until it is sent or its connection closes. */
    track(req: IncomingMessage, res: ServerResponse): void {
      if (retryAfterSeconds !== null) return;
      const { socket } = req;
      const done = (): void => {
        socket.off("close", done);
        inFlight.delete(res);
        if (inFlight.size === 0) onEmpty();
      };
      inFlight.add(res);
      res.once("close", done);
      socket.once("close", done);
    },
    /** Rejects new requests with 503 once the shutdown has started. */
    gate: async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
      if (retryAfterSeconds !== null && !inFlight.has(ctx.res)) {
        ctx.set("connection", "close");
        throw new HearthError("overloaded", "The server is closing.", { retryAfterSeconds });
      }
      await next();
      if (retryAfterSeconds !== null && !ctx.headerSent) ctx.set("connection", "close");
    },
    /** Starts the shutdown; resolves when no response is in flight, at the latest after `graceMs`. */
    async start(graceMs: number): Promise<void> {
      retryAfterSeconds = Math.min(60, Math.max(1, graceMs / 1000));
      if (inFlight.size === 0 || graceMs <= 0) return;
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      let stop = (): void => undefined;
      const graceOver = new Promise<void>((resolve) => (stop = clock.after(graceMs, resolve)));
      await Promise.race([empty, graceOver]);
      stop();
    },
  };
}
