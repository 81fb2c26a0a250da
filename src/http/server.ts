/**
 * The HTTP server: middleware in order (request id, trace, metrics, log, error dialect, error handler, protocol, host check, CORS, shutdown gate,
 * router) and the life cycle of its connections.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import Koa from "koa";
import { createSecretFilter } from "../accounts/authentication/secret.js";
import type { HttpDeps } from "./deps.js";
import { probeHalfClosed } from "./reply/half-closed.js";
import { closeWhereUnread, discardUnread } from "./reply/unread-body.js";
import { createDrain, type Drain } from "./reply/drain.js";
import { Connections } from "./connections.js";
import { listenOn } from "./listen.js";
import { allowOrigins, pathsForPages } from "./middleware/cors.js";
import { chooseErrorDialect } from "./middleware/error-dialect.js";
import { handleErrors } from "./middleware/errors.js";
import { checkHost } from "./middleware/host-check.js";
import { logRequests } from "./middleware/log.js";
import { checkProtocol, useAbsoluteTarget } from "./middleware/protocol.js";
import { measureRequests } from "./middleware/measure.js";
import { traceRequests } from "./middleware/trace.js";
import { assignRequestId } from "./middleware/request-id.js";
import { createRoutes } from "./routes.js";
import { admitSessions } from "./console/session-requests.js";
import { createRouter, rejectUnrouted } from "./router.js";
import type { RequestState } from "./context.js";
import type { ServerTls } from "./tls.js";
import { createInternalServer } from "./websocket/internal-requests.js";
import { serveWebSockets } from "./websocket/upgrade.js";

export type { HttpDeps } from "./deps.js";

export interface Listening {
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Names and addresses that its certificate is for; empty without TLS. */
  readonly certificateNames: readonly string[];
}

export interface HttpServer {
  /** Returns the request listener, for use in another Node.js HTTP server. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  /**
   * Binds the address; port 0 selects a free port.
   * @throws Error with a sentence for the operator and the system's `code`, such as EADDRINUSE.
   */
  listen(host: string, port: number): Promise<Listening>;
  /**
   * Rejects new requests with 503, waits up to `graceMs` for responses in flight, then closes every connection.
   * A second call returns the same promise.
   */
  close(graceMs: number): Promise<void>;
}

/** Builds the server without binding an address. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const { clock, limits } = deps;
  const drain = createDrain(clock);
  const connections = new Connections(deps);
  const respond = buildApp(deps, drain).callback();
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    useAbsoluteTarget(req);
    drain.track(req, res);
    connections.track(req, res);
    discardUnread(req, res, { clock, bodyBytesMax: limits.bodyBytesMax });
    probeHalfClosed(req, res, clock);
    void respond(req, res);
  };
  const server = createNodeServer(deps, listener);
  const internal = createInternalServer(createNodeServer({ limits, tls: null }, listener));
  connections.follow(server);
  const webSockets = serveWebSockets(server, { ...deps, internal, connections });
  let closed: Promise<void> | null = null;
  return {
    callback: () => listener,
    async listen(host, port) {
      const { tls } = deps;
      const bound = await listenOn(server, tls === null ? "http" : "https", host, port);
      return { ...bound, certificateNames: tls?.names ?? [] };
    },
    close(graceMs) {
      webSockets.close();
      server.closeIdleConnections();
      return (closed ??= drain.start(graceMs).then(async () => {
        await webSockets.ended();
        await closeServer(server, connections);
      }));
    },
  };
}

/** Builds the middleware and the routes. */
function buildApp(deps: HttpDeps, drain: Drain): Koa<RequestState> {
  const { clock, logger, metrics, random, limits } = deps;
  const app = new Koa<RequestState>({
    env: "production",
    proxy: deps.trustProxy,
    // A proxy appends the address that it sees. A client can forge the entries before it.
    maxIpsCount: 1,
  });
  app.on("error", (error: unknown) => {
    if (!isDisconnect(error)) logger.error({ err: error }, "answer failed");
  });
  const withoutSecrets = createSecretFilter(deps.pinnedKeys);
  app.use(closeWhereUnread(limits.bodyBytesMax));
  app.use(assignRequestId(random, withoutSecrets));
  app.use(traceRequests(deps.tracing));
  app.use(measureRequests(metrics, clock));
  app.use(logRequests(logger, clock, withoutSecrets));
  const routes = createRoutes(deps);
  const chooseDialect = chooseErrorDialect(routes);
  app.use(chooseDialect);
  app.use(handleErrors(logger));
  app.use(checkProtocol);
  app.use(checkHost(deps.allowedHosts));
  const router = createRouter(routes, deps);
  app.use(allowOrigins(deps.corsOrigins, pathsForPages(router, routes)));
  app.use(drain.gate);
  app.use(admitSessions(deps, chooseDialect));
  app.use(async (_, next) => {
    await deps.applySettings();
    await next();
  });
  app.use(router.routes());
  app.use(rejectUnrouted(router, routes));
  return app;
}

function createNodeServer(
  { limits, tls }: Pick<HttpDeps, "limits" | "tls">,
  listener: http.RequestListener,
): http.Server {
  const options: http.ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headerBytesMax,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const server =
    tls === null ? http.createServer(options, listener) : createTlsServer(tls, options, listener);
  // Without these listeners Node.js admits every body and rejects unknown expectations before the request is authenticated.
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  // Otherwise Node.js closes the connection of a client that has closed its side of it and waits for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = limits.connectionsMax;
  // Each pipelined request adds a close listener to the socket; the default warning at 10 listeners would be false.
  server.on("connection", (socket: Socket) => socket.setMaxListeners(0));
  return server;
}

function createTlsServer(
  tls: ServerTls,
  options: http.ServerOptions,
  listener: http.RequestListener,
): https.Server {
  const handshake = { handshakeTimeout: options.headersTimeout };
  const server = https.createServer({ ...options, ...tls.options, ...handshake }, listener);
  server.on("secureConnection", (socket: TLSSocket) => socket.setMaxListeners(0));
  const stop = tls.follow(server);
  server.once("close", stop);
  return server;
}

async function closeServer(server: http.Server, connections: Connections): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    connections.destroyAll();
  });
}

const disconnectCodes = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
  "ERR_HTTP_REQUEST_TIMEOUT",
]);

/** Whether a connection ended before its request or answer was complete; HPE_ codes come from the parser when a request is incomplete. */
function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return disconnectCodes.has(String(error.code)) || String(error.code).startsWith("HPE_");
}
