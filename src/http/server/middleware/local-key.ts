import type { AppContext } from "../app-context.js";
import type { Context } from "../context.js";
import { isFromPage } from "./from-page.js";

const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const proxyHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Returns the key of a request that presents none, or a placeholder: from a program on this machine only, neither through a proxy nor from
 * a web page, which could otherwise use the server unasked. null: the request has no key.
 */
export function localKey({ req: { headers, socket } }: Context, { ollamaKey }: AppContext): string | null {
  if (!loopbackAddress.test(socket.remoteAddress ?? "")) return null;
  return isFromPage(headers) || proxyHeaders.some((name) => headers[name] !== undefined) ? null : ollamaKey;
}
