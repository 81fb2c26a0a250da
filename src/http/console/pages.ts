/**
 * GET /console, /console/{page} and /console/assets/{name}: the pages of the console. The build writes them; there is one HTML file, whose
 * script shows the page of the address. The names of the assets change with their contents, so that browsers can keep them.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "../server/context.js";
import { notModified } from "../server/reply/cached-answer.js";
import { withBasePath } from "../server/middleware/base-path.js";
import { noSuchPath } from "../server/no-such-path.js";
import { publicRoute, type PublicCall } from "../server/route.js";

/** Where the build writes the pages: the same place from src/ and from dist/. */
const folder = new URL("../../../dist/console/", import.meta.url);

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Nothing comes from another host, no script and no style is in the page, and no text becomes markup except through DOMPurify. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** The addresses of pages. The script of the page says which of them there are; the other names belong to the server. */
const pagePath = /^\/console(?:\/(?!(?:api|assets|oidc)$)[a-z-]+)?$/;

const answerFile = fileAnswer();

/** Answers with the page, whichever of its addresses is asked for. */
function presentPage({ ctx }: PublicCall): Promise<void> {
  if (!pagePath.test(ctx.path)) throw noSuchPath();
  ctx.set({
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  });
  return answerFile(ctx, "index.html", "no-cache");
}

export const getConsole = publicRoute({
  method: "GET",
  path: "/console",
  docs: {
    operation: "getConsole",
    tag: "Console",
    summary: "Show the console to a person",
    answers: { 200: { description: "The page.", contentType: "text/html" }, 304: notModified },
  },
  handle: presentPage,
});

export const getConsolePage = publicRoute({
  method: "GET",
  path: "/console/:page",
  docs: {
    operation: "getConsolePage",
    tag: "Console",
    summary: "Show a page of the console to a person",
    params: { page: "Name of a page, such as `keys`." },
    answers: { 200: { description: "The page.", contentType: "text/html" }, 304: notModified },
  },
  handle: presentPage,
});

/** Answers with a script or the styles. */
export const getConsoleAsset = publicRoute({
  method: "GET",
  path: "/console/assets/:name",
  docs: {
    operation: "getConsoleAsset",
    tag: "Console",
    summary: "Get a script or style of the console",
    params: { name: "Name of the file." },
    answers: {
      200: { description: "The file.", contentType: ["text/javascript", "text/css"] },
      304: notModified,
    },
  },
  handle({ ctx }) {
    const [, name = ""] = /^\/console\/assets\/([\w-]+\.(?:js|css))$/.exec(ctx.path) ?? [];
    if (name === "") throw noSuchPath();
    return answerFile(ctx, `assets/${name}`, "public, max-age=31536000, immutable");
  },
});

type Encoding = "br" | "gzip" | "identity";

type AssetFile = ReturnType<typeof assetFile>;

const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** A file is read when it is first asked for; there are as many as the build wrote. */
function fileAnswer(): (ctx: Context, name: string, cacheControl: string) => Promise<void> {
  const files = new Map<string, AssetFile>();
  return async (ctx, name, cacheControl) => {
    const { basePath } = ctx.state;
    const url = new URL(name, folder);
    let file = files.get(basePath + name);
    if (file === undefined) {
      if (!existsSync(url)) throw noSuchPath();
      const content = readFileSync(url);
      const isPage = extname(name) === ".html";
      file = assetFile(isPage ? Buffer.from(withBasePath(content.toString(), basePath)) : content);
      files.set(basePath + name, file);
    }
    const accepted = ctx.acceptsEncodings("br", "gzip", "identity");
    const encoding = accepted === "br" || accepted === "gzip" ? accepted : "identity";
    ctx.status = 200;
    ctx.set("cache-control", cacheControl);
    ctx.type = types[extname(name)] ?? "application/octet-stream";
    ctx.vary("accept-encoding");
    ctx.etag = `"${file.etag}-${encoding}"`;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    if (encoding !== "identity") ctx.set("content-encoding", encoding);
    ctx.body = await file.body(encoding);
  };
}

function assetFile(content: Buffer) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const bodies: Partial<Record<Encoding, Promise<Buffer>>> = { identity: Promise.resolve(content) };
  const compress = (encoding: Encoding): Promise<Buffer> =>
    encoding === "br" ? compressions.br(content, { params }) : compressions.gzip(content);
  return {
    etag: createHash("sha256").update(content).digest("base64url").slice(0, 22),
    /** Compresses it when it is first asked for in this encoding. */
    body: (encoding: Encoding): Promise<Buffer> => (bodies[encoding] ??= compress(encoding)),
  };
}
