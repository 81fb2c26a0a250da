/**
 * GET /docs: the API reference for people, one page that reads everything from /openapi.json. GET /: leads browsers there.
 * The parts of the page are in docs/; it loads nothing from any other host.
 */
import type { Context } from "./context.js";
import { assemblePage } from "./docs/assemble.js";
import { notModified, presentCached } from "./reply/cached-answer.js";
import { noSuchPath } from "./router.js";
import type { RouteDocs } from "./route-docs.js";

/** The handler. */
export function presentDocsPage(): (ctx: Context) => void {
  return presentCached(() =>
    assemblePage({
      template: "page.html",
      current: "/docs",
      styles: ["page.css"],
      scripts: ["schemas.js", "examples.js", "search.js", "page.js"],
    }),
  );
}

export const docsPageDocs: RouteDocs = {
  operation: "getDocs",
  tag: "Server",
  summary: "Show this document to a person",
  answers: {
    200: { description: "A page that needs no other host.", contentType: "text/html" },
    304: notModified,
  },
};

/** The handler of `/`: for clients that do not prefer HTML, there is no such path. */
export function redirectBrowsers(ctx: Context): void {
  if (ctx.accepts("json", "html") !== "html") throw noSuchPath();
  ctx.set({ "cache-control": "no-cache", vary: "Accept" });
  ctx.redirect("/docs");
}

export const redirectDocs: RouteDocs = {
  operation: "getRoot",
  tag: "Server",
  summary: "Lead a browser to the documentation",
  answers: {
    302: {
      description: "To `/docs`, for a client whose `accept` header prefers HTML.",
      contentType: "text/html",
    },
  },
  errors: ["not_found"],
};
