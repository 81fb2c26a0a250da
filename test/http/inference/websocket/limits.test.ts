import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Connections } from "../../../../src/http/server/connections.js";
import { createInternalServer } from "../../../../src/http/server/internal-requests.js";
import { serveWebSockets } from "../../../../src/http/inference/websocket/upgrade.js";
import { BodyBudget } from "../../../../src/core/requests/body-budget.js";
import { defaultHttpLimits } from "../../../../src/http/server/app-context.js";
import { createManualClock } from "../../../kit/manual-clock.js";
import { startServer } from "../../../kit/server.js";
import { gate, until } from "../../../kit/until.js";
import { connect } from "./client.js";

it("a handshake at a path that is no WebSocket reads nothing of the path's answer", async () => {
  const endless = new Readable({ read: () => endless.push(Buffer.alloc(65_536)) });
  let isCut = false;
  const routes = http.createServer((_, answer) => {
    answer.once("close", () => (isCut = true));
    endless.pipe(answer);
  });
  const server = http.createServer();
  const clock = createManualClock(0);
  const bodyBudget = new BodyBudget(clock, 1_048_576);
  const deps = { clock, bodyBudget, limits: defaultHttpLimits, corsOrigins: [], publicUrl: null };
  const connections = new Connections(clock, defaultHttpLimits);
  serveWebSockets(server, { ...deps, connections, internal: createInternalServer(routes) });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/files/file-1/content`);
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  expect(response.statusCode).toBe(400);
  await until(() => isCut);
});

it("a connection ends when its client sends turns beyond those that may wait and reads no answers", async () => {
  const { url, engine } = await startServer({ engine: () => ["Good", gate().opened] });
  const client = await connect(url);
  const { socket } = client;
  for (let turn = 0; turn < 17; turn += 1)
    client.send({ type: "response.create", model: "ember-1m", input: "Hello" });
  await until(() => engine.active === 1);
  socket.on("error", () => undefined);
  socket.pause();
  await until(() => {
    for (let turn = 0; turn < 2_000; turn += 1) socket.send("{}");
    return engine.active === 0;
  });
  expect(engine.active).toBe(0);
});
