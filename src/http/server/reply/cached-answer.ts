/** Answers that stay the same for as long as the process lives: made once, and sent again only to who has another one. */
import { createHash } from "node:crypto";
import type { AppContext } from "../app-context.js";
import type { Context } from "../context.js";
import type { AnswerDocs } from "../route-docs.js";
import { noSuchPath } from "../no-such-path.js";
import type { PublicCall, PublicRoute } from "../route.js";

export const notModified: AnswerDocs = { description: "It is as the client has it, by `if-none-match`." };

export interface CachedAnswer {
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Handle = PublicRoute["handle"];

/**
 * Returns a handler that makes the answer of a server when it is first asked for. Clients keep it and ask each time whether it has
 * changed.
 */
export function presentCached(make: (call: PublicCall, app: AppContext) => CachedAnswer): Handle {
  const made = new WeakMap<AppContext, TaggedAnswer>();
  return (call, app) => {
    let answer = made.get(app);
    if (answer === undefined) made.set(app, (answer = tagAnswer(make(call, app))));
    present(call.ctx, answer);
  };
}

/**
 * The same for paths that end with a name. What `make` returns is kept for each name; null stands for a name that does not
 * exist, of which nothing is kept.
 */
export function presentCachedByName(make: (name: string, app: AppContext) => CachedAnswer | null): Handle {
  const made = new WeakMap<AppContext, Map<string, TaggedAnswer>>();
  return ({ ctx }, app) => {
    const name = /([^/]+)\/?$/.exec(ctx.path)?.[1] ?? "";
    const answers = made.get(app) ?? new Map<string, TaggedAnswer>();
    made.set(app, answers);
    let answer = answers.get(name);
    if (answer === undefined) {
      const found = make(name, app);
      if (found === null) throw noSuchPath();
      answers.set(name, (answer = tagAnswer(found)));
    }
    present(ctx, answer);
  };
}

interface TaggedAnswer extends CachedAnswer {
  readonly etag: string;
}

function tagAnswer(answer: CachedAnswer): TaggedAnswer {
  return { ...answer, etag: `"${createHash("sha256").update(answer.text).digest("base64url")}"` };
}

function present(ctx: Context, { contentType, text, headers, etag }: TaggedAnswer): void {
  ctx.set({ "cache-control": "no-cache", ...headers });
  ctx.status = 200;
  ctx.etag = etag;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = contentType;
  ctx.body = text;
}
