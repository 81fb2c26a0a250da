/**
 * The HTTP side, assembled in order: request id, figures, log, words of errors, error exit, closing gate, host check, router;
 * then, for a route that is guarded, authentication, body, handler. It owns connections and their end; what a route does is its own file's business.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import Koa from "koa";
import { createSecretFilter } from "../accounts/authentication/secret.js";
import { defaultHttpLimits, type BuiltDeps, type HttpDeps, type HttpLimits } from "./deps.js";
import { createDrain } from "./reply/drain.js";
import { listenOn, type Listening } from "./listen.js";
import { errorDialect } from "./middleware/error-dialect.js";
import { errorExit } from "./middleware/errors.js";
import { hostCheck } from "./middleware/host-check.js";
import { logRequests } from "./middleware/log.js";
import { measureRequests } from "./middleware/measure.js";
import { requestId } from "./middleware/request-id.js";
import { createRoutes } from "./routes.js";
import { createRouter, refuseUnrouted } from "./router.js";
import type { RequestState } from "./context.js";

export type { HttpDeps } from "./deps.js";

export interface HttpServer {
  /** The request listener, for a server of someone else's. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  /**
   * Binds; port 0 takes any free one.
   * @throws Error with a sentence for the operator and the system's `code`, such as EADDRINUSE.
   */
  listen(host: string, port: number): Promise<Listening>;
  /**
   * Refuses new requests with 503 from now on, waits up to `graceMs` for the answers under way, then closes every connection.
   * A second call waits for the same end.
   */
  close(graceMs: number): Promise<void>;
}

/** Builds the server over its dependencies; nothing is bound yet. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const { clock, logger, metrics, random } = deps;
  const limits = { ...defaultHttpLimits, ...deps.limits };
  const built: BuiltDeps = { ...deps, limits };
  const drain = createDrain(clock);
  const app = new Koa<RequestState>({
    env: "production",
    proxy: deps.trustProxy,
    // A proxy adds the address that it sees at the end; what stands before it, the client may have made up.
    maxIpsCount: 1,
  });
  app.on("error", (error: unknown) => {
    if (!isClientLeaving(error)) logger.error({ err: error }, "answer failed");
  });
  const withoutSecrets = createSecretFilter(deps.pinnedKeys);
  app.use(requestId(random, withoutSecrets));
  app.use(measureRequests(metrics, clock));
  app.use(logRequests(logger, clock, withoutSecrets));
  const routes = createRoutes(built);
  app.use(errorDialect(routes));
  app.use(errorExit(logger, limits.bodyBytesMax));
  app.use(drain.gate);
  app.use(hostCheck(deps.allowedHosts));
  const router = createRouter(routes, built);
  app.use(router.routes());
  app.use(refuseUnrouted(router));

  const answer = app.callback();
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    drain.track(req, res);
    void answer(req, res);
  };
  const server = createNodeServer(limits, listener);
  let closed: Promise<void> | null = null;
  return {
    callback: () => listener,
    listen: (host, port) => listenOn(server, host, port),
    close: (graceMs) => (closed ??= drain.start(graceMs).then(() => closeConnections(server))),
  };
}

function createNodeServer(limits: HttpLimits, listener: http.RequestListener): http.Server {
  const options: http.ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const server = http.createServer(options, listener);
  server.maxConnections = limits.connectionsMax;
  // Every request that is pipelined on a connection watches for its end: that is no leak.
  server.on("connection", (socket) => socket.setMaxListeners(0));
  return server;
}

async function closeConnections(server: http.Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const leavingCodes = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
]);

/** A connection that ended early; HPE_ codes are the parser's, for a request that was cut off. */
function isClientLeaving(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return leavingCodes.has(String(error.code)) || String(error.code).startsWith("HPE_");
}
