import type { Middleware } from "../context.js";
import type { Route } from "../route.js";

/**
 * Decides in whose words an error is told that comes before a route is entered, or where none is: in those of the route at
 * that path, whatever the method, or above it.
 */
export function errorDialect(routes: readonly Route[]): Middleware {
  const anthropic = routes.filter((route) => route.errors === "anthropic").map((route) => route.path);
  return async (ctx, next) => {
    const isAnthropic = anthropic.some((path) => ctx.path === path || ctx.path.startsWith(`${path}/`));
    if (isAnthropic) ctx.state.errorDialect = "anthropic";
    await next();
  };
}
