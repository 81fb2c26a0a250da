/**
 * A server below a path of its host: `publicUrl` is https://example.com/hearth. A proxy may take the path off or leave it. What the server
 * answers to browsers leads below the path: redirects, links of pages, and cookies.
 */
import type { Context, Middleware } from "../context.js";

/** Returns the path of `publicUrl`, without a slash at its end; empty without one. */
export function basePathOf(publicUrl: string | null): string {
  return publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
}

export function serveBelow(basePath: string): Middleware {
  return async (ctx, next) => {
    ctx.state.basePath = basePath;
    if (basePath === "") return next();
    if (ctx.path === basePath || ctx.path.startsWith(`${basePath}/`))
      ctx.path = ctx.path.slice(basePath.length) || "/";
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
