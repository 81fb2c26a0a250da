/** E23: no connection escapes the limits, whatever its client asks for on it, and all end with the server. */
import { once } from "node:events";
import http from "node:http";
import { connect as connectPlain, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { Connections } from "../../../../src/http/server/connections.js";
import { BodyBudget } from "../../../../src/core/requests/body-budget.js";
import { defaultHttpLimits } from "../../../../src/http/server/app-context.js";
import { createInternalServer } from "../../../../src/http/server/internal-requests.js";
import { serveWebSockets } from "../../../../src/http/inference/websocket/upgrade.js";
import { root } from "../../../kit/folder.js";
import { fileServer, type ScriptedServer, type ScriptedSettings, startServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import type { LogLine } from "../../../kit/server/scripted.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { createManualClock } from "../../../kit/manual-clock.js";
import { openSocket, readToEnd } from "../../../kit/clients/raw.js";
import { connect } from "../../inference/websocket/client.js";

const say = () => ["Good day."];
const fixture = (name: string): string => join(root, "test/fixtures/tls", name);
const tls = { tlsCert: fixture("first.pem"), tlsKey: fixture("first.key") };

const graceMs = 12_345;
const host = "Host: localhost\r\n";
const key = `Authorization: Bearer ${keys.ada}\r\n`;
const upgradeTo = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
const post = (headers: string, length: number): string =>
  `POST /v1/chat/completions HTTP/1.1\r\n${host}${key}Content-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n`;
const body = JSON.stringify(hello);
const whole = (headers: string): string => post(headers, body.length) + body;
const handshake = `${upgradeTo("websocket")}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`;
const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`;

/** Headers of requests that ask for another protocol, which the server does not speak. */
const upgrades: readonly (readonly [string, string])[] = [
  ["h2c", upgradeTo("h2c")],
  [
    "h2c, as Java asks for it",
    `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n`,
  ],
  ["TLS/1.0", upgradeTo("TLS/1.0")],
  ["several protocols", upgradeTo("websocket, h2c")],
  ["WebSocket in a POST", handshake],
];

async function openTlsSocket(port: number): Promise<Socket> {
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

type Scheme = "http" | "https";

interface Served extends ScriptedServer {
  open(): Promise<Socket>;
}

function optionsOf(scheme: Scheme, options: ScriptedSettings) {
  return { engine: say, ...options, config: { ...options.config, ...(scheme === "https" ? tls : {}) } };
}

function openOn(scheme: Scheme, { port }: ScriptedServer): Promise<Socket> {
  return scheme === "http" ? openSocket(port) : openTlsSocket(port);
}

/** Starts a server for a test that closes it, moves its clock or counts what it did. */
async function start(scheme: Scheme, options: ScriptedSettings = {}): Promise<Served> {
  const server = await startServer(optionsOf(scheme, options));
  return { ...server, open: () => openOn(scheme, server) };
}

/** Returns the paths of the requests that were answered. */
function pathsOf(logs: readonly LogLine[]): readonly unknown[] {
  return logs.flatMap(({ fields }) => ("path" in fields ? [fields.path] : []));
}

/** Collects what arrives. @returns a function that resolves when it has arrived */
function collect(socket: Socket): (expected: string | RegExp) => Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return async (expected) => {
    await until(() => (typeof expected === "string" ? text.includes(expected) : expected.test(text)));
    return text;
  };
}

describe.each(["http", "https"] as const)("E23: over %s, a request that asks for", (scheme) => {
  const limited = (httpLimits: ScriptedSettings["httpLimits"] = {}): (() => Promise<Socket>) => {
    const shared = fileServer(optionsOf(scheme, { httpLimits }));
    return () => openOn(scheme, shared());
  };
  const open = limited();
  const openHurried = limited({ headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 });
  const openBrief = limited({ keepAliveTimeoutMs: 100 });

  /** Sends one request for each protocol at once: Node.js takes a second to end an idle connection. @returns what arrives until the end */
  const readAll = (openOne: () => Promise<Socket>, request: (headers: string) => string) =>
    Promise.all(
      upgrades.map(async ([name, headers]) => {
        const socket = await openOne();
        socket.write(request(headers));
        return [name, await readToEnd(socket)] as const;
      }),
    );

  it("another protocol and never finishes its body is disconnected", async () => {
    for (const [name, text] of await readAll(openHurried, (headers) => post(headers, 100)))
      expect(text, name).toMatch(/^HTTP\/1.1 408 /);
  });

  it("another protocol and is not followed by another is disconnected as an idle connection", async () => {
    for (const [name, text] of await readAll(openBrief, whole))
      expect(text, name).toMatch(/^HTTP\/1.1 200 .*Good day/s);
  });

  it.each(upgrades)("%s is answered, and so is what follows it on its connection", async (_, headers) => {
    const socket = await open();
    socket.write(
      whole(headers) + get("/healthz", upgradeTo("h2c")) + whole(`${headers}Connection: close\r\n`),
    );
    const text = await readToEnd(socket);
    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
    expect(text).toMatch(/Good day.*{"status":"ok"}.*Good day/s);
  });

  it("h2c and to be closed is closed", async () => {
    const socket = await open();
    socket.write(whole("Connection: close, Upgrade\r\nUpgrade: h2c\r\n"));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1.1 200 .*Good day/s);
  });
});

it("E23: an upgrade behind requests is answered behind them, even if they are streams that wait for their reader", async () => {
  const opened = gate();
  const server = await startServer({
    engine: () => ["One", opened.opened, ...Array.from({ length: 200 }, () => "y".repeat(20_000))],
    contextTokens: 5_000_000,
  });
  const socket = await openSocket(server.port);
  const stream = JSON.stringify({ ...hello, stream: true });
  socket.write(post("", stream.length) + stream + get("/healthz") + whole(upgradeTo("h2c")));
  const arrived = collect(socket);
  await arrived("One");
  socket.pause();
  opened.open();
  await until(() => server.engine.active === 0 || server.scheduler.load.running > 0);
  socket.resume();
  const text = await arrived(/"object":"chat.completion"[^.].*\n?/s);
  expect(text.indexOf("[DONE]")).toBeGreaterThan(0);
  expect(text.indexOf('{"status":"ok"}')).toBeGreaterThan(text.indexOf("[DONE]"));
  expect(text.indexOf('"object":"chat.completion",')).toBeGreaterThan(text.indexOf('{"status":"ok"}'));
});

describe("E23: a WebSocket that is", () => {
  it.each([
    ["refused", get("/v1/responses", handshake), 401],
    ["for a path without one", get("/healthz", handshake), 400],
    ["behind a request", get("/healthz") + get("/v1/responses", handshake), 401],
  ])("%s ends, though its client does not close its side", async (_, request, status) => {
    const server = await startServer({ engine: say });
    const socket = connectPlain({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    const ended = once(socket, "end");
    const arrived = collect(socket);
    socket.write(request);
    expect(await arrived(`HTTP/1.1 ${status} `)).toContain("connection: close");
    await ended;
    await server.clock.whenWaiting(1000);
    server.clock.advance(1000);
    // Only a connection that the server has given up resets what it gets.
    await until(() => (socket.write("x"), socket.destroyed));
  });

  it("not answered in time ends", async () => {
    const clock = createManualClock(0);
    const bodyBudget = new BodyBudget(clock, 1_048_576);
    const deps = { clock, limits: defaultHttpLimits, bodyBudget, corsOrigins: [], publicUrl: null };
    const silent = http.createServer(() => undefined);
    const server = http.createServer();
    const connections = new Connections(clock, defaultHttpLimits);
    connections.follow(server);
    serveWebSockets(server, { ...deps, connections, internal: createInternalServer(silent) });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = await openSocket((server.address() as AddressInfo).port);
    socket.write(get("/v1/responses", handshake));
    await clock.whenWaiting(defaultHttpLimits.headersTimeoutMs);
    clock.advance(defaultHttpLimits.headersTimeoutMs);
    expect(await readToEnd(socket)).toBe("");
  });
});

it.each(["http", "https"] as const)(
  "E23: over %s, a client that reads nothing of answers that are no streams is disconnected",
  async (scheme) => {
    const server = await start(scheme);
    const socket = await server.open();
    socket.pause();
    // The systems of both sides buffer some megabytes; the rest waits in the server.
    const requests = 200;
    socket.write(get("/openapi.json").repeat(requests));
    await until(() => pathsOf(server.logs).length === requests);
    // What a client sends meanwhile is no reason to keep its connection.
    for (let checks = 0; checks < 6; checks += 1) {
      socket.write("\r\n");
      server.clock.advance(150_000);
    }
    socket.resume();
    const answers = (await readToEnd(socket)).match(/HTTP\/1.1 200 OK/g) ?? [];
    expect(answers.length).toBeLessThan(requests);
  },
);

describe.each(["http", "https"] as const)("E23: over %s, a server that closes", (scheme) => {
  const idle: readonly (readonly [string, string])[] = [
    ["has sent nothing", ""],
    ["has sent half of its headers", "GET /healthz HTTP/1.1\r\nHost: loc"],
    ["waits between requests", get("/healthz")],
    ["waits after an upgrade that was ignored", get("/healthz", upgradeTo("h2c"))],
    ["has half of the headers after an upgrade", `${get("/healthz", upgradeTo("h2c"))}GET /heal`],
  ];

  it.each(idle)("ends a connection at once that %s", async (_, bytes) => {
    const server = await start(scheme, { config: { shutdownGraceMs: graceMs } });
    const socket = await server.open();
    if (bytes !== "") socket.write(bytes);
    if (bytes.includes("\r\n\r\n")) await once(socket, "data");
    const ended = readToEnd(socket);
    await server.close();
    expect(await ended).toMatch(/^(HTTP\/1.1 200 .*)?$/s);
  });

  it("ends the connections at once that have not begun TLS, or not finished it", async () => {
    const server = await start(scheme, { config: { shutdownGraceMs: graceMs } });
    const sockets = [await openSocket(server.port), await openSocket(server.port)];
    sockets[0]?.write(Buffer.from([22, 3, 1, 2, 0, 1]));
    const ended = Promise.all(sockets.map((socket) => readToEnd(socket)));
    await server.close();
    expect(await ended).toEqual(["", ""]);
  });

  it.each<readonly [string, string]>([["nothing", ""], ...upgrades])(
    "ends within its grace time a connection that asks for %s and never finishes its body",
    async (_, headers) => {
      const server = await start(scheme, { config: { shutdownGraceMs: graceMs } });
      const socket = await server.open();
      const asked = post(headers, 100).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
      socket.write(asked);
      await once(socket, "data");
      const ended = readToEnd(socket);
      const closing = server.close();
      await server.clock.whenWaiting(graceMs);
      server.clock.advance(graceMs);
      await closing;
      expect(await ended).not.toContain("HTTP/1.1 200");
    },
  );

  it("ends a WebSocket at once that was refused", async () => {
    const server = await start(scheme, { config: { shutdownGraceMs: graceMs } });
    const socket = await server.open();
    socket.write(get("/v1/responses", handshake));
    await once(socket, "data");
    const ended = readToEnd(socket);
    await server.close();
    expect(await ended).toBe("");
  });

  it("ends a WebSocket within a second whose client does not answer", async () => {
    const server = await start(scheme, { config: { shutdownGraceMs: graceMs } });
    const socket = await server.open();
    socket.write(get("/v1/responses", `${key}${handshake}`));
    await once(socket, "data");
    const closed = once(socket, "close");
    const closing = server.close();
    await server.clock.whenWaiting(1000);
    server.clock.advance(1000);
    await closing;
    expect(await closed).toHaveLength(1);
  });
});

it("E23: a WebSocket without a turn ends at once with the server", async () => {
  const server = await startServer({ engine: say, config: { shutdownGraceMs: graceMs } });
  const { socket } = await connect(server.url);
  const closed = once(socket, "close");
  await server.close();
  expect((await closed)[0]).toBe(1001);
});
