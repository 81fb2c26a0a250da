/**
 * The HTTP server: middleware in order (request id, trace, metrics, log, error dialect, error handler, protocol, host check, CORS, shutdown gate,
 * router) and the life cycle of its connections.
 */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import Koa from "koa";
import { createSecretFilter } from "../../accounts/credentials/secret.js";
import type { AppContext } from "./app-context.js";
import { probeHalfClosed } from "./reply/half-closed.js";
import { closeWhereUnread, discardUnread } from "./reply/unread-body.js";
import { createDrain, type Drain } from "./reply/drain.js";
import { Connections } from "./connections.js";
import { reserveAddress, type ReservedAddress } from "./listen/reserve-address.js";
import { allowOrigins, pathsForPages } from "./middleware/cors.js";
import { chooseErrorDialect } from "./middleware/error-dialect.js";
import { readBasePath, serveBelow } from "./middleware/base-path.js";
import { handleErrors } from "./middleware/errors.js";
import { checkHost } from "./middleware/host-check.js";
import { logRequests } from "./middleware/log.js";
import { checkProtocol, useAbsoluteTarget } from "./middleware/protocol.js";
import { measureRequests } from "./middleware/measure.js";
import { traceRequests } from "./middleware/trace.js";
import { assignRequestId } from "./middleware/request-id.js";
import type { Route } from "./route.js";
import { admitSessions } from "./session-requests.js";
import { createRouter, rejectUnrouted } from "./router.js";
import type { RequestState } from "./context.js";
import type { ServerTls } from "./tls.js";
import { createInternalServer, type InternalServer } from "./internal-requests.js";

export interface Listening {
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Names and addresses that its certificate is for; empty without TLS. */
  readonly certificateNames: readonly string[];
}

export type HttpServer = ReturnType<typeof createHttpServer>;

/** WebSockets that a server also serves. */
export interface WebSockets {
  /** Begins no new turn, and ends every WebSocket after its turn in flight. */
  close(): void;
  /** Resolves when all are closed; those that do not close in time are cut off. */
  ended(): Promise<void>;
}

/** What a server serves. */
interface Served {
  readonly routes: readonly Route[];
  /** @param internal has the same routes */
  readonly serveWebSockets: (
    server: http.Server,
    app: AppContext & { readonly internal: InternalServer; readonly connections: Connections },
  ) => WebSockets;
}

/** Builds the server without binding an address. */
export function createHttpServer(app: AppContext, { routes, serveWebSockets }: Served) {
  const { clock, limits } = app;
  const drain = createDrain(clock);
  const connections = new Connections(app.clock, app.limits);
  const respond = buildKoa(app, routes, drain).callback();
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    useAbsoluteTarget(req);
    drain.track(req, res);
    connections.track(req, res);
    discardUnread(req, res, { clock, bodyBytesMax: limits.bodyBytesMax });
    probeHalfClosed(req, res, clock);
    void respond(req, res);
  };
  const server = createNodeServer(limits, app.tls, listener);
  const internal = createInternalServer(createNodeServer(limits, null, listener));
  connections.follow(server);
  const webSockets = serveWebSockets(server, { ...app, internal, connections });
  let closed: Promise<void> | null = null;
  return {
    /** Returns the request listener, for use in another Node.js HTTP server. */
    callback: (): ((req: IncomingMessage, res: ServerResponse) => void) => listener,
    /**
     * Takes the address that is reserved, or binds it; port 0 selects a free port.
     * @throws Error with a sentence for the operator and the system's `code`, such as EADDRINUSE.
     */
    async listen(host: string, port: number, reserved: ReservedAddress | null = null): Promise<Listening> {
      const { tls } = app;
      const address = reserved ?? (await reserveAddress(host, port));
      await address.giveTo(server);
      const url = `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
      return { url, port: address.port, certificateNames: tls?.names ?? [] };
    },
    /**
     * Rejects new requests with 503, waits up to `graceMs` for responses in flight, then closes every connection.
     * A second call returns the same promise.
     */
    close(graceMs: number): Promise<void> {
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
function buildKoa(app: AppContext, routes: readonly Route[], drain: Drain): Koa<RequestState> {
  const { clock, logger, metrics, random, limits } = app;
  const koa = new Koa<RequestState>({
    env: "production",
    proxy: app.trustProxy,
    // A proxy appends the address that it sees. A client can forge the entries before it.
    maxIpsCount: 1,
  });
  koa.on("error", (error: unknown) => {
    if (!isDisconnect(error)) logger.error({ err: error }, "answer failed");
  });
  const withoutSecrets = createSecretFilter(app.pinnedKeys);
  koa.use(closeWhereUnread(limits.bodyBytesMax));
  koa.use(assignRequestId(random, withoutSecrets));
  koa.use(serveBelow(readBasePath(app.publicUrl)));
  koa.use(traceRequests(app.tracing));
  koa.use(measureRequests(metrics, clock));
  koa.use(logRequests(logger, clock, withoutSecrets));
  const chooseDialect = chooseErrorDialect(routes);
  koa.use(chooseDialect);
  koa.use(handleErrors(logger));
  koa.use(checkProtocol);
  koa.use(checkHost(app.allowedHosts));
  const router = createRouter(routes, app);
  koa.use(allowOrigins(app.corsOrigins, pathsForPages(router, routes)));
  koa.use(drain.gate);
  koa.use(admitSessions(app, chooseDialect));
  koa.use(async (_, next) => {
    await app.applySettings();
    await next();
  });
  koa.use(router.routes());
  koa.use(rejectUnrouted(router, routes));
  return koa;
}

function createNodeServer(
  limits: AppContext["limits"],
  tls: AppContext["tls"],
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
