import type { SecretFilter } from "../../../accounts/credentials/secret.js";
import type { Clock } from "../../../core/clock.js";
import type { Middleware } from "../context.js";
import type { Logger } from "../../../core/logger.js";

const pathCharsMax = 200;

/** Logs one line for each request, without queries, headers or prompts. */
export function logRequests(logger: Logger, clock: Clock, withoutSecrets: SecretFilter): Middleware {
  return async (ctx, next) => {
    const began = clock.monotonic();
    await next();
    const { requestId, spanId, principal, manager, routePath } = ctx.state;
    logger.info(
      {
        requestId,
        traceId: spanId?.split("-")[1],
        method: ctx.method,
        path: routePath ?? withoutSecrets(ctx.path).slice(0, pathCharsMax),
        status: ctx.status,
        ms: Math.round(clock.monotonic() - began),
        teamId: principal?.team.id,
        apiKeyId: principal?.key.id,
        managementKeyId: manager?.key.id,
        clientLeft: ctx.req.socket.destroyed || undefined,
      },
      "request",
    );
  };
}
