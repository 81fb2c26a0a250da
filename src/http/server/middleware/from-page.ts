import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a request is from a web page: browsers send `Origin` with requests to other origins that have a body, and `Sec-Fetch-Site`
 * with all requests.
 */
export function isFromPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return headers.origin !== undefined || (site !== undefined && site !== "none");
}
