import type { SecretFilter } from "../../../accounts/credentials/secret.js";
import type { Random } from "../../../core/random.js";
import type { Middleware } from "../context.js";

/** Request ids that are accepted from clients. Other ids could forge log lines or headers, or could be keys. */
const safeRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Assigns the request id, which is the client's `x-request-id` if that is safe, and sends it with every response. */
export function assignRequestId(random: Random, withoutSecrets: SecretFilter): Middleware {
  return async (ctx, next) => {
    const requested = ctx.get("x-request-id");
    const id =
      safeRequestId.test(requested) && withoutSecrets(requested) === requested ? requested : random.id();
    ctx.state.requestId = id;
    ctx.state.errorDialect = "openai";
    ctx.state.spanId = null;
    ctx.state.routePath = null;
    ctx.state.principal = null;
    ctx.state.manager = null;
    ctx.state.signedIn = null;
    ctx.set("x-request-id", id);
    ctx.set("request-id", id);
    // Responses contain texts of clients; browsers must not guess their content type.
    ctx.set("x-content-type-options", "nosniff");
    await next();
  };
}
