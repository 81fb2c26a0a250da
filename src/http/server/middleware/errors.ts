import { toHearthError, type HearthError } from "../../../core/errors.js";
import { errorBody, errorStatus } from "../../../dialects/error-body.js";
import type { Context, Middleware } from "../context.js";
import type { Logger } from "../../../core/logger.js";

/** Converts every error before the response is committed to an error response; closes the connection after that. */
export function handleErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toHearthError(thrown);
      reportFailure(logger, ctx, error);
      if (ctx.headerSent) {
        ctx.respond = false;
        ctx.req.socket.destroy();
      } else writeError(ctx, error);
    }
    if (ctx.status >= 400 && !ctx.headerSent) keepFromCaches(ctx);
  };
}

/** What a handler has set for its answer is not true of the error: it would be kept in its place, for a year where that is an asset. */
function keepFromCaches(ctx: Context): void {
  for (const name of ["etag", "last-modified", "expires", "content-encoding"]) ctx.remove(name);
  ctx.set("cache-control", "no-store");
}

/** Logs the cause of an error, which the response does not contain, with the request id. */
export function reportFailure(logger: Logger, ctx: Context, error: HearthError): void {
  if (error.kind !== "internal" && error.cause === undefined) return;
  const fields = { requestId: ctx.state.requestId, kind: error.kind, err: error.cause ?? error };
  if (error.kind === "internal") logger.error(fields, "request failed");
  else logger.warn(fields, "request refused");
}

function writeError(ctx: Context, error: HearthError): void {
  const { errorDialect, requestId } = ctx.state;
  ctx.status = errorStatus(error, errorDialect);
  ctx.body = errorBody(error, errorDialect, requestId);
  writeRetryHeaders(ctx, error);
  if (error.allow.length > 0) ctx.set("allow", error.allow.join(", "));
  if (ctx.status === 401) ctx.set("www-authenticate", "Bearer");
}

/** Sets the headers that say whether and when to retry. Clients prefer `retry-after-ms` and obey `x-should-retry`. */
function writeRetryHeaders(
  ctx: Context,
  { retryAfterMs, retryAfterSeconds, shouldRetry }: HearthError,
): void {
  const seconds = retryAfterMs === null ? retryAfterSeconds : retryAfterMs / 1000;
  if (seconds !== null) ctx.set("retry-after", String(Math.max(1, Math.ceil(seconds))));
  if (retryAfterMs !== null) ctx.set("retry-after-ms", String(retryAfterMs));
  if (shouldRetry !== null) ctx.set("x-should-retry", String(shouldRetry));
}
