import type { Middleware } from "../context.js";
import { chooseErrors } from "../client-format.js";
import type { Route, RouteErrors } from "../route.js";

/**
 * Chooses the format of errors before a route is matched: the format of a route with the same path or a parent path, whatever
 * its method, or the common format of all routes under a prefix such as /auth. Otherwise it is OpenAI's format.
 */
export function chooseErrorDialect(routes: readonly Route[]): Middleware {
  const prefixes = [
    ...uniformPrefixes(routes),
    ...routes.map(({ path, errors }) => [path, errors] as const),
  ].filter(([, dialect]) => dialect !== "openai");
  return async (ctx, next) => {
    const match = prefixes.find(([path]) => ctx.path === path || ctx.path.startsWith(`${path}/`));
    if (match !== undefined) ctx.state.errorDialect = chooseErrors(match[1], ctx);
    await next();
  };
}

/** Returns the prefixes of one or two segments under which all routes have the same error dialect. */
function uniformPrefixes(routes: readonly Route[]): (readonly [path: string, dialect: RouteErrors])[] {
  const dialects = new Map<string, Set<RouteErrors>>();
  for (const { path, errors } of routes) {
    const parts = path.split("/");
    for (const first of new Set([parts.slice(0, 2).join("/"), parts.slice(0, 3).join("/")]))
      dialects.set(first, (dialects.get(first) ?? new Set()).add(errors));
  }
  return [...dialects].flatMap(([first, [dialect, another]]) =>
    dialect === undefined || another !== undefined ? [] : [[first, dialect] as const],
  );
}
