/** Answers that stay the same for as long as the process lives: made once, and sent again only to who has another one. */
import { createHash } from "node:crypto";
import type { Context } from "../context.js";
import type { AnswerDocs } from "../route-docs.js";
import { noSuchPath } from "../router.js";

export const notModified: AnswerDocs = { description: "It is as the client has it, by `if-none-match`." };

export interface CachedAnswer {
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A handler that asks for the answer when it is first needed. Clients keep it and ask each time whether it has changed. */
export function presentCached(make: () => CachedAnswer): (ctx: Context) => void {
  let made: (CachedAnswer & { readonly etag: string }) | null = null;
  return (ctx) => {
    if (made === null) {
      const answer = make();
      made = { ...answer, etag: `"${createHash("sha256").update(answer.text).digest("base64url")}"` };
    }
    ctx.set({ "cache-control": "no-cache", ...made.headers });
    ctx.status = 200;
    ctx.etag = made.etag;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = made.contentType;
    ctx.body = made.text;
  };
}

/**
 * The same for paths that end with a name. What `make` returns is kept for each name; null stands for a name that does not
 * exist, of which nothing is kept.
 */
export function presentCachedByName(make: (name: string) => CachedAnswer | null): (ctx: Context) => void {
  const handlers = new Map<string, (ctx: Context) => void>();
  return (ctx) => {
    const name = /([^/]+)\/?$/.exec(ctx.path)?.[1] ?? "";
    let handler = handlers.get(name);
    if (handler === undefined) {
      const answer = make(name);
      if (answer === null) throw noSuchPath();
      handler = presentCached(() => answer);
      handlers.set(name, handler);
    }
    handler(ctx);
  };
}
