import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestHub } from "./hub.js";

const chunkBytes = 64 * 1024;

/** Answers with the bytes of a file, or with a range of them. */
export function serveBytes(hub: TestHub, request: IncomingMessage, response: ServerResponse): void {
  const { behaviour, files } = hub;
  behaviour.beforeBytes(request);
  const failure = behaviour.failures.shift();
  if (failure !== undefined) return void response.writeHead(failure.status, failure.headers).end();
  const path = decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname);
  const file = files.get(path.replace(/^\/(signed|plain)\//, ""));
  if (file === undefined) return void response.writeHead(404).end();
  const range = behaviour.hasRanges ? rangeOf(request, behaviour) : null;
  const start = range?.[0] ?? 0;
  const end = Math.min(range?.[1] ?? file.length - 1, file.length - 1);
  if (start >= file.length) return void response.writeHead(416).end();
  const body = Buffer.from(file.subarray(start, end + 1));
  if (behaviour.isDamaged && body.length > 100) body[body.length - 1] = (body.at(-1) ?? 0) ^ 255;
  const isTooLong = behaviour.bytesTooMany > 0 && body.length > 1;
  response.writeHead(range === null ? 200 : 206, {
    "content-type": "application/octet-stream",
    ...(behaviour.etag === null ? {} : { etag: behaviour.etag }),
    ...(isTooLong ? {} : { "content-length": body.length }),
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end}/${file.length}` }),
  });
  send(hub, response, isTooLong ? Buffer.concat([body, Buffer.alloc(behaviour.bytesTooMany)]) : body);
}

function rangeOf(
  { headers }: IncomingMessage,
  { etag, ignoresConditions }: TestHub["behaviour"],
): readonly [number, number] | null {
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag && !ignoresConditions) return null;
  const found = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
  if (found === null) return null;
  return [Number(found[1]), found[2] === "" ? Number.POSITIVE_INFINITY : Number(found[2])];
}

/** Sends a body as fast, and as far, as the behaviour says. */
function send({ behaviour, sent }: TestHub, response: ServerResponse, body: Buffer): void {
  const isStalled = behaviour.stall.answers > 0 && body.length > behaviour.stall.afterBytes;
  if (isStalled) behaviour.stall.answers -= 1;
  const cut = behaviour.cutAfterBytes;
  const limit = isStalled ? behaviour.stall.afterBytes : cut > 0 && body.length > cut ? cut : body.length;
  const { bytesPerSecond } = behaviour;
  const waitMs = bytesPerSecond === 0 ? 0 : (chunkBytes * 1000) / bytesPerSecond;
  const next = (at: number): void => {
    if (response.destroyed) return;
    if (at >= limit) {
      if (limit === body.length) response.end();
      else if (!isStalled) response.destroy();
      return;
    }
    const chunk = body.subarray(at, Math.min(limit, at + chunkBytes));
    sent.bytes += chunk.length;
    response.write(chunk, () => {
      if (waitMs === 0) next(at + chunk.length);
      else setTimeout(() => next(at + chunk.length), waitMs);
    });
  };
  next(0);
}
