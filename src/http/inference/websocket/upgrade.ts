/** Upgrades connections to WebSockets: of `GET /v1/responses` only, for clients whose key the routes accept. */
import type { IncomingHttpHeaders, IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer } from "ws";
import type { AppContext } from "../../server/app-context.js";
import type { Connections } from "../../server/connections.js";
import type { WebSockets } from "../../server/http-server.js";
import { Connection } from "./connection.js";
import { readBasePath, takePathOff } from "../../server/middleware/base-path.js";
import type { InternalServer } from "../../server/internal-requests.js";
import { KeptResponses } from "./kept-response.js";

const path = "/v1/responses";
/** Any valid key is admitted here; what it may do is decided with every turn. */
const admissionPath = "/v1/api-key";

/** Time for the last messages and the close handshake of a connection. */
const closingMsMax = 1000;

/** Headers of the upgrade that concern its connection, or one request only. */
const ownHeaders =
  /^(connection|upgrade|content-.*|transfer-encoding|accept-encoding|expect|te|trailer|x-request-id|http2-settings|sec-websocket-.*)$/;

interface WebSocketDeps extends Pick<
  AppContext,
  "clock" | "limits" | "bodyBudget" | "corsOrigins" | "publicUrl"
> {
  /** Has the same routes. */
  readonly internal: InternalServer;
  readonly connections: Connections;
}

/** Serves the upgrades of a server. */
export function serveWebSockets(server: Server, app: WebSocketDeps): WebSockets {
  const { connections: all } = app;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: app.limits.bodyBytesMax,
  });
  const keptResponses = new KeptResponses();
  const connections = new Set<Connection>();
  let isClosed = false;
  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const headers = headersOfTurns(request.headers);
    const left = new AbortController();
    socket.once("close", () => left.abort());
    const liftLimit = all.limitUpgrade(socket);
    const refusal = await findRefusal({ request, headers, signal: left.signal }, app);
    if (refusal !== null || isClosed)
      return all.end(socket, writeAnswer(refusal ?? { status: 503, body: "" }));
    await all.answered(socket);
    liftLimit();
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const turns = { path, headers, remoteAddress: request.socket.remoteAddress };
      const connection = new Connection(webSocket, { ...app, keptResponses, request: turns });
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    });
  };
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const destroy = (): void => void socket.destroy();
    socket.on("error", destroy);
    const done = isWebSocket(request)
      ? upgrade(request, socket, head)
      : all.giveBack(server, socket, withoutUpgrade(request, head)).then(() => socket.off("error", destroy));
    done.catch(destroy);
  });
  return {
    close() {
      isClosed = true;
      for (const connection of connections) connection.close();
    },
    async ended() {
      const stop = app.clock.after(closingMsMax, () => {
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
async function findRefusal(
  { request, headers, signal }: Handshake,
  { corsOrigins, internal, publicUrl }: WebSocketDeps,
): Promise<Refusal | null> {
  const { origin } = request.headers;
  const [asked = ""] = (request.url ?? "").split("?");
  const found = takePathOff(asked, readBasePath(publicUrl));
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

function writeAnswer({ status, body }: Refusal): string {
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function headersOfTurns(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name)));
}

/**
 * Returns the bytes of a request for another protocol (`Upgrade: h2c` above all, which Java's client sends by default), and of what
 * follows it, without what asks for the upgrade: a server may ignore it.
 */
function withoutUpgrade(request: IncomingMessage, head: Buffer): Buffer {
  const { rawHeaders, method = "GET", url = "/", httpVersion } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (/^connection$/i.test(name)) lines.push(`${name}: ${withoutOptions(value)}`);
    else if (!/^(upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]);
}

/** Returns the options of a Connection header that do not concern an upgrade, such as `close`. */
function withoutOptions(value: string): string {
  const options = value.split(",").map((option) => option.trim());
  return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(", ");
}
