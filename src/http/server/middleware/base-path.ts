/**
 * A server below a path of its host: `publicUrl` is https://example.com/hearth. A proxy may take the path off or leave it. What the server
 * answers to browsers leads below the path: redirects, links of pages, and cookies.
 */
import type { Context, Middleware } from "../context.js";

/** Returns the path of `publicUrl`, without a slash at its end; empty without one. */
export function readBasePath(publicUrl: string | null): string {
  return publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
}

/** Returns the path of a route that a request asks for, whether a proxy has taken the path of the server off or not. */
export function takePathOff(path: string, basePath: string): string {
  const isBelow = basePath !== "" && (path === basePath || path.startsWith(`${basePath}/`));
  return isBelow ? path.slice(basePath.length) || "/" : path;
}

export function serveBelow(basePath: string): Middleware {
  return async (ctx, next) => {
    ctx.state.basePath = basePath;
    if (basePath === "") return void (await next());
    ctx.path = takePathOff(ctx.path, basePath);
    await next();
    leadBelow(ctx, basePath);
  };
}

function leadBelow(ctx: Context, basePath: string): void {
  const location = ctx.response.get("location");
  if (/^\/(?!\/)/.test(location)) ctx.set("location", basePath + location);
  const { body, type } = ctx.response;
  if (type === "text/html" && typeof body === "string") ctx.body = withBasePath(body, basePath);
}

/** Returns a page whose links to paths of this server begin with the path. */
export function withBasePath(html: string, basePath: string): string {
  return html.replaceAll(/((?:href|src)="|;url=)\/(?!\/)/g, (_, before: string) => `${before}${basePath}/`);
}
