import { HearthError } from "../../core/errors.js";
import type { Middleware } from "../context.js";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** A host name or bracketed address, and an optional port; no user part, no path. */
const hostHeader = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/**
 * Refuses requests addressed to names that are not this server's, which is what a web page does whose name was rebound to a
 * loopback address. `allowedHosts` adds names to the loopback ones; null switches the check off.
 */
export function hostCheck(allowedHosts: readonly string[] | null): Middleware {
  if (allowedHosts === null) return (_ctx, next) => next();
  const allowed = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())]);
  return (ctx, next) => {
    const name = hostHeader.exec((ctx.req.headers.host ?? "").toLowerCase())?.[1];
    if (name === undefined || !allowed.has(name))
      throw new HearthError(
        "permission_denied",
        "This server does not answer to the host name of the request.",
        {
          code: "host_not_allowed",
        },
      );
    return next();
  };
}
