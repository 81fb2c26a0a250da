/**
 * GET /docs: the API reference for people, one page that reads everything from /openapi.json.
 * The parts of the page are in docs/; it loads nothing from any other host.
 */
import type { Context } from "./context.js";
import { assemblePage } from "./docs/assemble.js";
import { notModified, presentCached } from "./reply/cached-answer.js";
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
