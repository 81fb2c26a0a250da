import type Router from "@koa/router";
import type { Context, Middleware, RequestState } from "../context.js";
import type { Route } from "../route.js";

/** Beginnings of the paths that web pages may call: those that API keys open. */
const planes = ["/v1/", "/api/"];

/** Seconds that a browser keeps the answer to a preflight: the most that Chromium does. */
const preflightSeconds = "7200";

/**
 * Lets web pages of other origins call the server (CORS), and answers their preflights, which carry no key. Cookies and other
 * credentials of the browser are never allowed. It must come after the host check and before everything that can refuse a request, so
 * that pages can read errors, too.
 * @param origins as browsers send them; `*` = every origin; empty = no headers are sent.
 * @param isForPages whether pages may call a path
 */
export function allowOrigins(origins: readonly string[], isForPages: (path: string) => boolean): Middleware {
  if (origins.length === 0) return (_ctx, next) => next();
  const isEvery = origins.includes("*");
  return async (ctx, next) => {
    if (isForPages(ctx.path)) {
      ctx.vary("Origin");
      const origin = ctx.get("origin");
      if (origin !== "" && (isEvery || origins.includes(origin))) {
        ctx.set("access-control-allow-origin", isEvery ? "*" : origin);
        ctx.set("access-control-expose-headers", "*");
        if (isPreflight(ctx)) return answerPreflight(ctx);
      }
    }
    await next();
  };
}

function isPreflight(ctx: Context): boolean {
  return ctx.method === "OPTIONS" && ctx.get("access-control-request-method") !== "";
}

function answerPreflight(ctx: Context): void {
  const requested = ctx.get("access-control-request-headers");
  ctx.set("access-control-allow-methods", "GET, HEAD, POST, PUT, DELETE");
  if (requested !== "") ctx.set("access-control-allow-headers", requested);
  for (const network of ["private", "local"])
    if (ctx.get(`access-control-request-${network}-network`) === "true")
      ctx.set(`access-control-allow-${network}-network`, "true");
  ctx.set("access-control-max-age", preflightSeconds);
  ctx.vary("Access-Control-Request-Headers");
  ctx.status = 204;
}

/** Returns which paths web pages may call: the paths of API keys. Management keys do not belong in pages. */
export function pathsForPages(
  router: Router<RequestState>,
  routes: readonly Route[],
): (path: string) => boolean {
  const managed = new Set<string | RegExp>(
    routes.filter(({ guard }) => guard === "management-key").map(({ path }) => path),
  );
  return (path) =>
    planes.some((plane) => path.startsWith(plane)) &&
    !router.match(path, "OPTIONS").path.some((layer) => managed.has(layer.path));
}
