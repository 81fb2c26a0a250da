/**
 * GET /docs: the API reference for people, one page that reads everything from /openapi.json. GET /: leads browsers there, and answers clients of Ollama.
 * The parts of the page are in docs/; it loads nothing from any other host.
 */
import { assemblePage } from "./assemble.js";
import { notModified, presentCached } from "../../server/reply/cached-answer.js";
import { noSuchPath } from "../../server/no-such-path.js";
import { publicRoute } from "../../server/route.js";

export const getDocs = publicRoute({
  method: "GET",
  path: "/docs",
  docs: {
    operation: "getDocs",
    tag: "Server",
    summary: "Show this document to a person",
    answers: {
      200: { description: "A page that needs no other host.", contentType: "text/html" },
      304: notModified,
    },
  },
  handle: presentCached(() =>
    assemblePage({
      template: "page.html",
      current: "/docs",
      styles: ["page.css"],
      scripts: ["schemas.js", "examples.js", "search.js", "page.js"],
    }),
  ),
});

/** What clients of Ollama's interface find at `/`, and compare. */
const ollamaGreeting = "Ollama is running";

/** The handler of `/`: leads browsers to the documentation. Other clients look for Ollama's interface there. */
export const getRoot = publicRoute({
  method: "GET",
  path: "/",
  docs: {
    operation: "getRoot",
    tag: "Server",
    summary: "Lead a browser to the documentation",
    answers: {
      200: {
        description:
          "To other clients: that Ollama's interface is served, in the words that its clients look for.",
        contentType: "text/plain",
      },
      302: {
        description: "To `/docs`, for a client whose `accept` header prefers HTML.",
        contentType: "text/html",
      },
    },
    errors: ["not_found"],
  },
  handle({ ctx }, { ollamaApi }) {
    const isBrowser = ctx.accepts("json", "html") === "html";
    if (!isBrowser && !ollamaApi) throw noSuchPath();
    ctx.set({ "cache-control": "no-cache", vary: "Accept" });
    if (isBrowser) return ctx.redirect("/docs");
    ctx.type = "text/plain";
    ctx.body = ollamaGreeting;
  },
});
