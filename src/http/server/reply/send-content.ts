import type { Files } from "../../../inference/files/files.js";
import type { StoredFile } from "../../../inference/files/stored-file.js";
import type { Context } from "../context.js";

/** Sends the content of a file. @throws HearthError `not_found` when it is gone. */
export async function sendContent(ctx: Context, files: Files, file: StoredFile, type: string): Promise<void> {
  ctx.status = 200;
  ctx.type = type;
  ctx.length = file.bytes;
  // Koa sends no body for HEAD, and would leave a stream open.
  if (ctx.method === "HEAD") return;
  ctx.body = await files.read(file);
  // Koa removes the length of a body that becomes a stream.
  ctx.length = file.bytes;
}

/** Returns the headers of a download, which keep a browser from running anything in it. @param name of the file */
export function attachment(name: string): Record<string, string> {
  return {
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": `attachment; filename*=UTF-8''${encodeFilename(name)}`,
    "cache-control": "private, no-store",
  };
}

/** Encodes a name as RFC 8187 requires it. */
function encodeFilename(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
