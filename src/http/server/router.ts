import Router from "@koa/router";
import { authoriseManager } from "../../accounts/principals/manager-permissions.js";
import { HearthError } from "../../core/errors.js";
import type { Context, Middleware, RequestState } from "./context.js";
import { chooseErrors } from "./client-format.js";
import type { AppContext } from "./app-context.js";
import { authenticate, authenticateManager } from "./middleware/authenticate.js";
import { readJsonBody, type BodyRules } from "./middleware/body.js";
import { limitRequest, warnOfBudgets } from "./middleware/limit.js";
import { localKey } from "./middleware/local-key.js";
import { checkOwnPage } from "./own-page.js";
import { findSession } from "./session-requests.js";
import { noSuchPath } from "./no-such-path.js";
import { takesBody, type PublicCall, type Route } from "./route.js";

/** The bodies of the console's own routes have an e-mail and passwords. */
const ownBodyBytesMax = 16 * 1024;

/** Builds the router from the route table; authentication, the permissions of management keys, rate limits and body parsing follow from a row. */
export function createRouter(routes: readonly Route[], app: AppContext): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router.register(route.path, [route.method], (ctx) =>
      handle(
        { ctx, route, routes, params: readParams(route, ctx.params), requestId: ctx.state.requestId },
        app,
      ),
    );
  return router;
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
    const meant = ctx.method === "OPTIONS" ? null : findMeantRoute(router, routes, ctx, allow.length === 0);
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
 * Returns the route that matches when the path has /v1 once, and no slash twice: clients add /v1 to a base URL that has it, or expect it
 * there, and join paths with a slash too many. null when there is none.
 * @param anyMethod whether a route with another method matches, too
 */
function findMeantRoute(
  router: Router<RequestState>,
  routes: readonly Route[],
  { path, method }: Context,
  anyMethod: boolean,
): Route | null {
  const plain = path.replaceAll(/\/{2,}/g, "/");
  for (const right of [`/v1${plain.replace(/^(\/v1)+(?=\/)/, "")}`, plain]) {
    if (right === path) continue;
    const match = router.match(right, method);
    const [layer] = [...match.pathAndMethod, ...(anyMethod ? match.path : [])];
    const meant = routes.find((route) => route.path === layer?.path);
    if (meant !== undefined) return meant;
  }
  return null;
}

/** Returns the path parameters; removes the trailing slash that the router leaves in a `*name` parameter. */
function readParams({ path }: Route, params: Readonly<Record<string, string>>) {
  if (!path.includes("*")) return params;
  const bare = Object.entries(params).map(([name, value]) => [name, value.replace(/\/$/, "")] as const);
  return Object.fromEntries(bare);
}

async function handle(call: PublicCall, app: AppContext): Promise<void> {
  const { ctx, route } = call;
  ctx.state.errorDialect = chooseErrors(route.errors, ctx);
  ctx.state.routePath = route.path;
  switch (route.guard) {
    case "none":
      return route.handle(call, app);
    case "management-key": {
      const manager = await authenticateManager(ctx, app);
      authoriseManager(manager, route);
      return route.handle({ ...call, route, manager, ...(await readBody(call, app)) }, app);
    }
    case "page":
      checkOwnPage(ctx);
      return route.handle({ ...call, route, ...(await readBody(call, app, ownBodyBytesMax)) }, app);
    case "session": {
      checkOwnPage(ctx);
      const signedIn = await findSession(ctx, app);
      return route.handle({ ...call, route, signedIn, ...(await readBody(call, app, ownBodyBytesMax)) }, app);
    }
    case "api-key": {
      const principal = await authenticate(ctx, app, localKey(ctx, app));
      const rateLimitDecision = await limitRequest(app, ctx, route, principal);
      await warnOfBudgets(app, ctx, route, principal);
      return route.handle({ ...call, principal, rateLimitDecision, ...(await readBody(call, app)) }, app);
    }
  }
}

/** @param bytesMax what the route takes at most, if that is less than the server's limit */
async function readBody({ ctx, route }: PublicCall, { bodyBudget, limits }: AppContext, bytesMax = Infinity) {
  if (!takesBody(route)) return { body: undefined, bodyText: null };
  const bodyBytesMax = Math.min(limits.bodyBytesMax, bytesMax);
  const { value, text } = await readJsonBody(ctx, bodyBudget, {
    bodyBytesMax,
    formsAreJson: whoMayDeclareForms(route),
  });
  return { body: value, bodyText: text };
}

function whoMayDeclareForms(route: Route): BodyRules["formsAreJson"] {
  // The hosted service's own examples of the management API declare no content type.
  if (route.guard === "management-key") return "bearers";
  return route.formsAreJson === true ? "programs" : "none";
}
