import type { SecretFilter } from "../../accounts/authentication/secret.js";
import type { Random } from "../../core/random.js";
import type { Middleware } from "../context.js";

/** What a client may name its request; anything else could forge log lines or headers, or be a key in the wrong place. */
const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Names the request, by the client's own `x-request-id` where that is harmless, and tells the name on every answer. */
export function requestId(random: Random, withoutSecrets: SecretFilter): Middleware {
  return async (ctx, next) => {
    const asked = ctx.get("x-request-id");
    const id = acceptable.test(asked) && withoutSecrets(asked) === asked ? asked : random.id();
    ctx.state.requestId = id;
    ctx.state.errorDialect = "openai";
    ctx.state.routePath = null;
    ctx.state.principal = null;
    ctx.state.manager = null;
    ctx.set("x-request-id", id);
    ctx.set("request-id", id);
    // Names and texts of strangers come back as data, whatever they look like.
    ctx.set("x-content-type-options", "nosniff");
    await next();
  };
}
