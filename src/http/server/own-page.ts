import { HearthError } from "../../core/errors.js";
import type { Context } from "./context.js";

/** Pages of other origins cannot send this header: a browser asks the server first, and it never allows it here. */
const pageHeader = "x-hearth-console";

/**
 * Checks that a request is from the console's own pages (CSRF): that it has their header, and that the browser says the same. The
 * session's cookie alone proves nothing: browsers also send it for pages of other ports of this host.
 * @throws HearthError `permission_denied`.
 */
export function checkOwnPage(ctx: Context): void {
  const { headers } = ctx.req;
  const site = headers["sec-fetch-site"];
  const isOwn = site === undefined ? isOwnOrigin(headers.origin, ctx.host) : site === "same-origin";
  if (headers[pageHeader] === undefined || !isOwn)
    throw new HearthError("permission_denied", "This route is for the pages of the console only.");
}

/** Browsers of other machines send no `Sec-Fetch-Site` without TLS, and no `Origin` with a GET of the same origin. */
function isOwnOrigin(origin: string | undefined, host: string): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
