import type { ErrorDialect } from "../../dialects/error-body.js";
import type { Middleware } from "../context.js";
import type { Route } from "../route.js";

/**
 * Decides in whose words an error is told that comes before a route is entered, or where none is: in those of the route at
 * that path, whatever the method, or above it; and where all paths with the same beginning, such as /auth, speak alike, in
 * theirs.
 */
export function errorDialect(routes: readonly Route[]): Middleware {
  const places = [...planes(routes), ...routes.map(({ path, errors }) => [path, errors] as const)].filter(
    ([, dialect]) => dialect !== "openai",
  );
  return async (ctx, next) => {
    const place = places.find(([path]) => ctx.path === path || ctx.path.startsWith(`${path}/`));
    if (place !== undefined) ctx.state.errorDialect = place[1];
    await next();
  };
}

/** The beginnings of paths, of one part or two, under which there is but one dialect. */
function planes(routes: readonly Route[]): (readonly [path: string, dialect: ErrorDialect])[] {
  const dialects = new Map<string, Set<ErrorDialect>>();
  for (const { path, errors } of routes) {
    const parts = path.split("/");
    for (const first of new Set([parts.slice(0, 2).join("/"), parts.slice(0, 3).join("/")]))
      dialects.set(first, (dialects.get(first) ?? new Set()).add(errors));
  }
  return [...dialects].flatMap(([first, [dialect, another]]) =>
    dialect === undefined || another !== undefined ? [] : [[first, dialect] as const],
  );
}
