/** Rules of HTTP that Node.js leaves to the application (RFC 9110 and 9112): the target, the host and the expectation of a request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HearthError } from "../../../core/errors.js";
import type { Middleware } from "../context.js";

const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Rewrites a request whose target is a whole URL, as proxies send it: its host replaces the `Host` header, which must be ignored, and
 * the rest becomes the target.
 */
export function useAbsoluteTarget(req: IncomingMessage): void {
  const [, host, rest = ""] = absoluteTarget.exec(req.url ?? "") ?? [];
  if (host === undefined) return;
  req.headers.host = host;
  req.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Rejects requests that name several hosts, whose target is neither a path nor `*`, or that expect something unknown.
 * @throws HearthError `malformed` or `expectation_failed`.
 */
export const checkProtocol: Middleware = (ctx, next) => {
  const { headers, rawHeaders, url = "" } = ctx.req;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) throw new HearthError("malformed", "The request has more than one Host header.");
  if (!url.startsWith("/") && url !== "*")
    throw new HearthError("malformed", "The target of the request is not a path.");
  if (headers.expect !== undefined && !isContinue(headers.expect))
    throw new HearthError("expectation_failed", "The only expectation that is supported is '100-continue'.");
  return next();
};

/** Requests whose clients were asked for their bodies. */
const admitted = new WeakSet<IncomingMessage>();

/** Sends `100 Continue` to a client that waits for it before it sends its body. */
export function admitBody(req: IncomingMessage, res: ServerResponse): void {
  if (!awaitsContinue(req)) return;
  admitted.add(req);
  res.writeContinue();
}

/** Whether the client sends its body only when it is admitted. */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.expect !== undefined && isContinue(headers.expect);
}

/** Whether the client was not asked for the body for which it waits to be asked. */
export function isUnasked(req: IncomingMessage): boolean {
  return req.headers.expect !== undefined && req.httpVersion === "1.1" && !admitted.has(req);
}

/** Returns the declared length of a body; 0 for a chunked one, which declares none. */
export function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

function isContinue(expectation: string): boolean {
  return expectation.trim().toLowerCase() === "100-continue";
}
