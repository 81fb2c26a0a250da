import Router from "@koa/router";
import { authoriseManager } from "../accounts/management-keys/permissions.js";
import { HearthError } from "../core/errors.js";
import type { Context, Middleware, RequestState } from "./context.js";
import { errorDialectFor } from "./files/client-format.js";
import type { HttpDeps } from "./deps.js";
import { authenticate, authenticateManager } from "./middleware/authenticate.js";
import { readJsonBody, type BodyRules } from "./middleware/body.js";
import { limitRequest, warnOfBudgets } from "./middleware/limit.js";
import { localKey } from "./middleware/local-key.js";
import { checkOwnPage } from "./console/own-page.js";
import { findSession } from "./console/session-requests.js";
import { takesBody, type Call, type PageRoute, type Route, type SessionRoute } from "./route.js";

/** The bodies of the console's own routes have an e-mail and passwords. */
const ownBodyBytesMax = 16 * 1024;

/** Builds the router from the route table; authentication, the permissions of management keys, rate limits and body parsing follow from a row. */
export function createRouter(routes: readonly Route[], deps: HttpDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router.register(route.path, [route.method], (ctx) =>
      handle(route, ctx, paramsOf(route, ctx.params), deps),
    );
  return router;
}

/** The error of a path that does not exist. @param meant the route that the client may have meant; absent or null: none */
export function noSuchPath(meant: Route | null = null): HearthError {
  const sentence = "This server has no such path.";
  if (meant === null) return new HearthError("not_found", sentence);
  const path = meant.path.replace(/[:*](\w+)/g, "{$1}");
  return new HearthError("not_found", `${sentence} The path is ${path}: check the base URL of the client.`);
}

/**
 * Rejects requests that match no route: 404 for an unknown path, 405 for an unsupported method. OPTIONS lists the methods; the
 * preflights of allowed origins do not come here.
 */
export function rejectUnrouted(router: Router<RequestState>, routes: readonly Route[]): Middleware {
  return (ctx) => {
    const { path } = router.match(ctx.path, ctx.method);
    const allow = [...new Set(path.flatMap((layer) => layer.methods))].sort();
    // With OPTIONS, a client asks about the path that it names.
    const meant = ctx.method === "OPTIONS" ? null : routeUnderV1(router, routes, ctx, allow.length === 0);
    if (meant !== null || allow.length === 0) throw noSuchPath(meant);
    if (ctx.method !== "OPTIONS")
      throw new HearthError("method_not_allowed", `This path does not take ${ctx.method} requests.`, {
        allow,
      });
    ctx.status = 204;
    ctx.set("allow", allow.join(", "));
  };
}

/**
 * Returns the route that matches when the path has /v1 once: clients add /v1 to a base URL that has it, or expect it there. null when
 * there is none.
 * @param anyMethod whether a route with another method matches, too
 */
function routeUnderV1(
  router: Router<RequestState>,
  routes: readonly Route[],
  { path, method }: Context,
  anyMethod: boolean,
): Route | null {
  const right = `/v1${path.replace(/^(\/v1)+(?=\/)/, "")}`;
  if (right === path) return null;
  const match = router.match(right, method);
  const [layer] = [...match.pathAndMethod, ...(anyMethod ? match.path : [])];
  return routes.find((route) => route.path === layer?.path) ?? null;
}

/** Returns the path parameters; removes the trailing slash that the router leaves in a `*name` parameter. */
function paramsOf({ path }: Route, params: Readonly<Record<string, string>>) {
  if (!path.includes("*")) return params;
  const bare = Object.entries(params).map(([name, value]) => [name, value.replace(/\/$/, "")] as const);
  return Object.fromEntries(bare);
}

async function handle(
  route: Route,
  ctx: Context,
  params: Readonly<Record<string, string>>,
  deps: HttpDeps,
): Promise<void> {
  ctx.state.errorDialect = errorDialectFor(route.errors, ctx);
  ctx.state.routePath = route.path;
  const { requestId } = ctx.state;
  if (route.guard === "none") return route.handler(ctx);
  if (route.guard === "management-key") {
    const manager = await authenticateManager(ctx, deps);
    authoriseManager(manager, route);
    const body = await bodyOf(route, ctx, deps);
    return route.handler({ ctx, manager, ...body, params, requestId, route });
  }
  if (route.guard === "page" || route.guard === "session")
    return handleOwn(route, ctx, { params, requestId }, deps);
  const principal = await authenticate(ctx, deps, localKey(ctx, route, deps));
  const rateLimitDecision = await limitRequest(deps, ctx, route, principal);
  await warnOfBudgets(deps, ctx, route, principal);
  const body = await bodyOf(route, ctx, deps);
  await route.handler({ ctx, principal, rateLimitDecision, ...body, params, requestId, route });
}

/** Handles a request of the console to a route of its own. */
async function handleOwn(
  route: PageRoute | SessionRoute,
  ctx: Context,
  call: Pick<Call, "params" | "requestId">,
  deps: HttpDeps,
): Promise<void> {
  checkOwnPage(ctx);
  const limits = { ...deps.limits, bodyBytesMax: Math.min(deps.limits.bodyBytesMax, ownBodyBytesMax) };
  const own = { ...deps, limits };
  if (route.guard === "page")
    return route.handler({ ctx, ...(await bodyOf(route, ctx, own)), ...call, route });
  const signedIn = await findSession(ctx, deps);
  return route.handler({ ctx, signedIn, ...(await bodyOf(route, ctx, own)), ...call, route });
}

async function bodyOf(
  route: Route,
  ctx: Context,
  { bodyBudget, limits }: Pick<HttpDeps, "bodyBudget" | "limits">,
): Promise<Pick<Call, "body" | "bodyText">> {
  if (!takesBody(route)) return { body: undefined, bodyText: null };
  const rules = { bodyBytesMax: limits.bodyBytesMax, formsAreJson: formRuleOf(route) };
  const { value, text } = await readJsonBody(ctx, bodyBudget, rules);
  return { body: value, bodyText: text };
}

function formRuleOf(route: Route): BodyRules["formsAreJson"] {
  // The hosted service's own examples of the management API declare no content type.
  if (route.guard === "management-key") return "bearers";
  return route.formsAreJson === true ? "programs" : "none";
}
