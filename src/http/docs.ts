/**
 * GET /docs: the reference of this server for people to read, one page that takes all it says from /openapi.json. It owns
 * how the page is put together and sent; what is on it lies in docs/, and asks nothing of any other host.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { notModified, presentCached, type CachedAnswer } from "./reply/cached-answer.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

/** The handler. */
export function presentDocsPage(): (ctx: Context) => void {
  return presentCached(assemble);
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

const scripts = ["schemas.js", "examples.js", "search.js", "page.js"];

/** Style and scripts are in the page, each allowed by its hash: one request, and nothing that is put in later runs. */
function assemble(): CachedAnswer {
  const style = read("page.css");
  const code = scripts.map(read);
  const text = read("page.html")
    .replace("<!-- style -->", () => `<style>${style}</style>`)
    .replace("<!-- scripts -->", () => code.map((each) => `<script>${each}</script>`).join("\n"));
  const policy = [
    "default-src 'none'",
    "img-src data:",
    `script-src ${code.map(hashOf).join(" ")}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = { "content-security-policy": policy.join("; "), "referrer-policy": "no-referrer" };
  return { contentType: "text/html; charset=utf-8", text, headers };
}

function read(name: string): string {
  return readFileSync(new URL(`docs/${name}`, import.meta.url), "utf8");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
