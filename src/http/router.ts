import Router from "@koa/router";
import { HearthError } from "../core/errors.js";
import type { Context, Middleware, RequestState } from "./context.js";
import type { BuiltDeps, HttpLimits } from "./deps.js";
import { authenticate, authenticateManager } from "./middleware/authenticate.js";
import { readJsonBody } from "./middleware/body.js";
import { limitRequest } from "./middleware/limit.js";
import type { Route } from "./route.js";

/** The router over the route table; each request of a route goes through the stations that its guard and method ask for. */
export function createRouter(routes: readonly Route[], deps: BuiltDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router.register(route.path, [route.method], (ctx) =>
      enter(route, ctx, paramsOf(route, ctx.params), deps),
    );
  return router;
}

/** The error of a path that does not exist. */
export function noSuchPath(): HearthError {
  return new HearthError("not_found", "This server has no such path.");
}

/**
 * What no route took: 404 for a path that does not exist, 405 for a method that its path does not have. OPTIONS tells the
 * methods and nothing about other origins, for none is let in.
 */
export function refuseUnrouted(router: Router<RequestState>): Middleware {
  return (ctx) => {
    const { path } = router.match(ctx.path, ctx.method);
    const allow = [...new Set(path.flatMap((layer) => layer.methods))].sort();
    if (allow.length === 0) throw noSuchPath();
    if (ctx.method !== "OPTIONS")
      throw new HearthError("method_not_allowed", `This path does not take ${ctx.method} requests.`, {
        allow,
      });
    ctx.status = 204;
    ctx.set("allow", allow.join(", "));
  };
}

/** A rest of the path comes with the slash at its end, which elsewhere makes no other path of it. */
function paramsOf({ path }: Route, params: Readonly<Record<string, string>>) {
  if (!path.includes("*")) return params;
  const bare = Object.entries(params).map(([name, value]) => [name, value.replace(/\/$/, "")] as const);
  return Object.fromEntries(bare);
}

async function enter(
  route: Route,
  ctx: Context,
  params: Readonly<Record<string, string>>,
  deps: BuiltDeps,
): Promise<void> {
  const { authenticator, managers, limits } = deps;
  ctx.state.errorDialect = route.errors;
  ctx.state.routePath = route.path;
  const { requestId } = ctx.state;
  if (route.guard === "none") return route.handler(ctx);
  if (route.guard === "management-key") {
    const manager = await authenticateManager(ctx, managers);
    const body = await bodyOf(route, ctx, limits);
    return route.handler({ ctx, manager, body, params, requestId, route });
  }
  const principal = await authenticate(ctx, authenticator);
  const admittance = limitRequest(deps, ctx, route, principal);
  const body = await bodyOf(route, ctx, limits);
  await route.handler({ ctx, principal, admittance, body, params, requestId, route });
}

async function bodyOf(route: Route, ctx: Context, { bodyBytesMax }: HttpLimits): Promise<unknown> {
  const takesBody = (route.method === "POST" || route.method === "PUT") && route.takesBody !== false;
  return takesBody ? readJsonBody(ctx.req, bodyBytesMax) : undefined;
}
