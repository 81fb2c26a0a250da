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
        ...(spanId === null ? {} : { traceId: spanId.split("-")[1] }),
        method: ctx.method,
        path: routePath ?? withoutSecrets(ctx.path).slice(0, pathCharsMax),
        status: ctx.status,
        ms: Math.round(clock.monotonic() - began),
        ...(principal === null ? {} : { teamId: principal.team.id, apiKeyId: principal.key.id }),
        ...(manager === null ? {} : { managementKeyId: manager.key.id }),
        ...(ctx.req.socket.destroyed ? { clientLeft: true } : {}),
      },
      "request",
    );
  };
}
