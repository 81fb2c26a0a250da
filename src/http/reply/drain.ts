import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Middleware } from "../context.js";

/** The end of a server: `open` until started, then `closing`; the answers under way are waited for. */
export interface Drain {
  /** Counts an answer as under way until it is sent or its connection is gone. */
  track(req: IncomingMessage, res: ServerResponse): void;
  /** Refuses whatever comes once closing. */
  readonly gate: Middleware;
  /** Begins closing; resolves when no answer is under way any more, at the latest after `graceMs`. */
  start(graceMs: number): Promise<void>;
}

/** Starts open, with nothing under way. */
export function createDrain(clock: Clock): Drain {
  const underWay = new Set<ServerResponse>();
  let retryAfterSeconds: number | null = null;
  let onEmpty = (): void => undefined;
  return {
    track(req, res) {
      if (retryAfterSeconds !== null) return;
      const { socket } = req;
      const done = (): void => {
        socket.off("close", done);
        underWay.delete(res);
        if (underWay.size === 0) onEmpty();
      };
      underWay.add(res);
      res.once("close", done);
      socket.once("close", done);
    },
    async gate(ctx, next) {
      if (retryAfterSeconds !== null && !underWay.has(ctx.res)) {
        ctx.set("connection", "close");
        throw new HearthError("overloaded", "The server is closing.", { retryAfterSeconds });
      }
      await next();
      if (retryAfterSeconds !== null && !ctx.headerSent) ctx.set("connection", "close");
    },
    async start(graceMs) {
      retryAfterSeconds = Math.min(60, Math.max(1, graceMs / 1000));
      if (underWay.size === 0 || graceMs <= 0) return;
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      let stop = (): void => undefined;
      const late = new Promise<void>((resolve) => (stop = clock.after(graceMs, resolve)));
      await Promise.race([empty, late]);
      stop();
    },
  };
}
