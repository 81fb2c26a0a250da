import { describe, expect, it, onTestFinished } from "vitest";
import type { Script } from "../../kit/scripted/engine.js";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { gate, eventually } from "../../kit/until.js";
import { openSocket } from "../../kit/clients/raw.js";

const model = "ember-1m";
const messages = [{ role: "user", content: "one two three four five six" }];
const prompt = "one two three four five six";

/** Every route that answers a run of a text model: its path and a request. */
const routes = [
  ["/v1/chat/completions", { model, messages }],
  ["/v1/completions", { model, prompt }],
  ["/v1/responses", { model, input: prompt }],
  ["/v1/messages", { model, messages, max_tokens: 9 }],
  ["/v1/complete", { model, prompt: `\n\nHuman: ${prompt}\n\nAssistant:`, max_tokens_to_sample: 9 }],
  ["/api/chat", { model, messages }],
  ["/api/generate", { model, prompt }],
] as const;

const cases = routes.flatMap(([path, body]) => [true, false].map((stream) => [path, stream, body] as const));

/** Sends a request and closes the connection once `reached` resolves. Nothing else moves: the clock stands still. */
async function leave(server: ScriptedServer, path: string, body: object, reached: () => Promise<void>) {
  const run = server.nextRun();
  const text = JSON.stringify(body);
  const socket = await openSocket(server.port);
  // A client that has read all that came closes without a reset.
  socket.resume();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\nAnthropic-Version: 2023-06-01\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  const started = await run;
  await reached();
  socket.destroy();
  await started.finished;
}

/** A server of which one slot can be held by another request. */
async function startLoading(onLoad: () => Promise<void> = () => Promise.resolve()) {
  const held = gate();
  const script: Script = () => [held.opened, "text"];
  const server = await startServer({ engine: script, slots: 1, evaluatedTokens: 3, onLoad });
  onTestFinished(() => held.open());
  return { server, isRunning: () => eventually(() => expect(server.engine.active).toBe(1)), held };
}

function costs({ state, usage }: RunRecord) {
  return [state, usage.promptTokens, usage.completionTokens];
}

describe("M3: a client that leaves ends its run at once, and pays what was evaluated", () => {
  it.each(cases)("while the prompt is evaluated: %s, stream %s", async (path, stream, body) => {
    const { server, isRunning } = await startLoading();
    await leave(server, path, { ...body, stream }, isRunning);
    expect(server.engine).toMatchObject({ active: 0, aborted: 1 });
    expect((await server.records()).map(costs)).toEqual([["aborted", 3, 0]]);
  });

  it.each(cases)("while it waits for a slot: %s, stream %s", async (path, stream, body) => {
    const { server, isRunning, held } = await startLoading();
    const other = post(server, hello);
    await isRunning();
    const isQueued = () => eventually(() => expect(server.scheduler.load.waiting).toBe(1));
    await leave(server, path, { ...body, stream }, isQueued);
    expect(server.scheduler.load).toEqual({ running: 1, waiting: 0 });
    held.open();
    expect((await other).status).toBe(200);
    expect(await server.records()).toHaveLength(1);
  });

  it.each(cases)("while its model is loaded: %s, stream %s", async (path, stream, body) => {
    const loading = gate();
    const { server, held } = await startLoading(() => loading.opened);
    await leave(server, path, { ...body, stream }, () => Promise.resolve());
    loading.open();
    held.open();
    expect((await post(server, hello)).status).toBe(200);
    expect(server.engine.jobs).toHaveLength(1);
    expect(await server.records()).toHaveLength(1);
  });
});
