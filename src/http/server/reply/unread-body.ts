/**
 * What happens to the rest of a body when its request is answered before the body is read: because the request is refused, or its route
 * takes no body. Either the rest is discarded and the connection serves the next request, or the answer announces that the connection
 * closes. No connection waits longer than the limits below.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../../core/clock.js";
import { endSoon } from "../connections.js";
import type { Middleware } from "../context.js";
import { declaredBytes, isUnasked } from "../middleware/protocol.js";

/**
 * Bytes beyond the body limit that are discarded, so that a client that sends its whole body before it reads still receives the answer.
 */
const beyondLimitBytesMax = 16 * 1024 * 1024;
/** Time that the rest may take. */
const discardMsMax = 10_000;

/** Announces that the connection closes where the rest of the body does not come, or has no length that can be discarded. */
export function closeWhereUnread(bodyBytesMax: number): Middleware {
  return async (ctx, next) => {
    await next();
    if (!ctx.headerSent && !canBeDiscarded(ctx.req, bodyBytesMax)) ctx.set("connection", "close");
  };
}

/** Discards what is unread of a body once the answer is sent; ends the connection where a limit is reached. */
export function discardUnread(
  req: IncomingMessage,
  res: ServerResponse,
  { clock, bodyBytesMax }: { readonly clock: Clock; readonly bodyBytesMax: number },
): void {
  // Before Node.js's own listener, which discards without a limit, or closes the connection.
  res.prependOnceListener("finish", () => {
    const { socket } = req;
    if (req.complete || socket.destroyed) return;
    const restore = endAfterAnswer(socket, clock);
    let bytes = 0;
    const stop = clock.after(discardMsMax, () => socket.destroy());
    req.once("end", () => {
      stop();
      restore();
    });
    socket.once("close", stop);
    req.unpipe();
    req.removeAllListeners("data");
    req.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax + beyondLimitBytesMax) socket.destroy();
    });
    req.resume();
  });
}

/**
 * Keeps Node.js from resetting a connection that closes after its answer, while its client sends.
 * @returns a function that lets it close connections as usual
 */
function endAfterAnswer(socket: Socket, clock: Clock): () => void {
  const restore = (): void => void Reflect.deleteProperty(socket, "destroySoon");
  socket.destroySoon = () => {
    restore();
    socket.end();
    endSoon(socket, clock);
  };
  return restore;
}

function canBeDiscarded(req: IncomingMessage, bodyBytesMax: number): boolean {
  if (req.complete) return true;
  const isOfKnownLength = req.headers["transfer-encoding"] === undefined;
  return isOfKnownLength && !isUnasked(req) && declaredBytes(req) <= bodyBytesMax + beyondLimitBytesMax;
}
