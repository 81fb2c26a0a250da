/**
 * Finds out whether a client that has sent all it will send still reads. A client that closes its side of the connection only, such as
 * netcat, waits for the answer; one that closes the connection has left. Both look the same until something is sent: to the second, the
 * operating system answers with a reset, which closes the connection here.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../core/clock.js";

/** Times after the end of the request; the first two probes of a client on this machine suffice. */
const probesMs = [0, 0, 50, 100, 200, 500, 1_000] as const;
const laterEveryMs = 5_000;

/** What is written into answers that have begun, and changes none of them. */
const probeFrames = new WeakMap<ServerResponse, string>();

/** Sets what is written into an answer to find out whether its client still reads: a frame without content. */
export function setProbeFrame(res: ServerResponse, frame: string): void {
  probeFrames.set(res, frame);
}

/**
 * Sends probes to a client that has half-closed its connection, until its answer is complete or the connection closes: an interim
 * response before the headers of the answer, a frame without content within a stream. HTTP/1.0 has no interim responses; there, a client
 * whose answer is not ready counts as gone.
 */
export function probeHalfClosed(req: IncomingMessage, res: ServerResponse, clock: Clock): void {
  const { socket } = req;
  let cancel = (): void => undefined;
  const next = (at: number): void => {
    const delayMs = probesMs[at] ?? laterEveryMs;
    const run = (): void => {
      if (res.writableEnded || socket.destroyed) return;
      probe(req, res);
      next(at + 1);
    };
    if (delayMs > 0) cancel = clock.after(delayMs, run);
    else setImmediate(run);
  };
  const start = (): void => next(0);
  socket.once("end", start);
  res.once("close", () => {
    socket.off("end", start);
    cancel();
  });
}

function probe(req: IncomingMessage, res: ServerResponse): void {
  // A response that waits behind another one on the same connection cannot send anything yet.
  if (res.socket === null) return;
  if (res.headersSent) {
    const frame = probeFrames.get(res);
    // What waits to be sent is a probe, too.
    if (frame !== undefined && !res.writableNeedDrain) res.write(frame);
  } else if (req.httpVersion === "1.1") res.writeProcessing();
  else req.socket.destroy();
}
