/** Upgrades connections to WebSockets: of `GET /v1/responses` only, for clients whose key the routes accept. */
import type { IncomingHttpHeaders, IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { HttpDeps } from "../deps.js";
import { Connection } from "./connection.js";
import type { InternalServer } from "./internal-requests.js";
import { KeptResponses } from "./kept-response.js";

const path = "/v1/responses";
/** Any valid key is admitted here; what it may do is decided with every turn. */
const admissionPath = "/v1/api-key";

/** Time for the last messages and the close handshake of a connection. */
const closingMsMax = 1000;

/** Headers of the upgrade that concern its connection, or one request only. */
const ownHeaders =
  /^(connection|upgrade|content-.*|transfer-encoding|accept-encoding|expect|te|trailer|x-request-id|http2-settings|sec-websocket-.*)$/;

export interface WebSockets {
  /** Begins no new turn, and ends every WebSocket after its turn in flight. */
  close(): void;
  /** Resolves when all are closed; those that do not close in time are cut off. */
  ended(): Promise<void>;
}

export type WebSocketDeps = Pick<HttpDeps, "clock" | "limits" | "corsOrigins">;

/** Serves the upgrades of a server. @param internal has the same routes. */
export function serveWebSockets(server: Server, internal: InternalServer, deps: WebSocketDeps): WebSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: deps.limits.bodyBytesMax,
  });
  const keptResponses = new KeptResponses();
  const connections = new Set<Connection>();
  let isClosed = false;
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const headers = headersOfTurns(request.headers);
    const left = new AbortController();
    socket.once("close", () => left.abort());
    const refusal = await refusalOf({ request, headers, signal: left.signal }, internal, deps);
    if (refusal !== null || isClosed) return refuse(socket, refusal ?? { status: 503, body: "" });
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const turns = { path, headers, remoteAddress: request.socket.remoteAddress };
      const connection = new Connection(webSocket, { ...deps, internal, keptResponses, request: turns });
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    });
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (!isWebSocket(request)) return internal.serve(withoutUpgrade(request, socket, head));
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  return {
    close() {
      isClosed = true;
      for (const connection of connections) connection.close();
    },
    async ended() {
      const stop = deps.clock.after(closingMsMax, () => {
        for (const connection of connections) connection.terminate();
      });
      await Promise.all([...connections].map(({ closed }) => closed));
      stop();
    },
  };
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

interface Refusal {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

interface Handshake {
  readonly request: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly signal: AbortSignal;
}

/** Returns why a client gets no WebSocket: the answer of a route to a request with the same headers; null when it gets one. */
async function refusalOf(
  { request, headers, signal }: Handshake,
  internal: InternalServer,
  { corsOrigins }: WebSocketDeps,
): Promise<Refusal | null> {
  const { origin } = request.headers;
  const [found = ""] = (request.url ?? "").split("?");
  // Browsers do not apply their rules of origins to WebSockets.
  if (origin !== undefined && !corsOrigins.includes("*") && !corsOrigins.includes(origin))
    return { status: 403, body: forbiddenOrigin };
  const answer = await internal.request({
    method: "GET",
    path: found === path ? admissionPath : found,
    headers,
    body: null,
    remoteAddress: request.socket.remoteAddress,
    signal,
  });
  const status = answer.statusCode ?? 500;
  if (status < 400) {
    answer.destroy();
    return found === path ? null : { status: 400, body: noWebSocket };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status, body: Buffer.concat(chunks).toString() };
}

const noWebSocket = errorBody("This path is not served over a WebSocket.", "websocket_not_supported");
const forbiddenOrigin = errorBody(
  "WebSockets from pages of this origin are not accepted: the setting corsOrigins does not name it.",
  "origin_not_allowed",
);

function errorBody(message: string, code: string): string {
  return JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
}

function refuse(socket: Duplex, { status, body }: Refusal): void {
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function headersOfTurns(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name)));
}

/**
 * Returns the connection of a request for another protocol (`Upgrade: h2c` above all, which Java's client sends by default), with the
 * request before what is left to read, but without the headers that ask for the upgrade: a server may ignore them.
 */
function withoutUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Duplex {
  const { rawHeaders, method = "GET", url = "/", httpVersion } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  return socket;
}
