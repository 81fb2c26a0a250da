import { HearthError } from "../../../core/errors.js";
import type { Middleware } from "../context.js";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** A host name or bracketed address with an optional port. */
const hostHeader = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/**
 * Rejects requests whose `Host` header names another server. This blocks DNS rebinding: web pages whose host name resolves to a
 * loopback address. `allowedHosts` extends the loopback names; null disables the check.
 */
export function checkHost(allowedHosts: readonly string[] | null): Middleware {
  if (allowedHosts === null) return (_ctx, next) => next();
  const allowedNames = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())]);
  return (ctx, next) => {
    const name = hostHeader.exec((ctx.req.headers.host ?? "").toLowerCase())?.[1];
    if (name === undefined || !allowedNames.has(name))
      throw new HearthError(
        "permission_denied",
        "This server does not accept the host name of the request.",
        {
          code: "host_not_allowed",
        },
      );
    return next();
  };
}
