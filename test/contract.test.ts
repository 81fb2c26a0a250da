import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeProblems } from "./kit/contract/problems.js";
import { startServer } from "./kit/server.js";
import { headersOf, hello, post } from "./kit/server/requests.js";
import { keys } from "./kit/server/six-keys.js";

const model = {
  id: "m",
  object: "model",
  created: 0,
  owned_by: "hearth",
  type: "model",
  display_name: "M",
  created_at: "2026-11-21T08:00:00.000Z",
  max_input_tokens: 1,
  max_tokens: null,
  lifecycle: "active",
  deprecated_at: null,
  retires_at: null,
  line: null,
  capabilities: null,
};
const json = "application/json";
const sse = "text/event-stream";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly chunks: readonly string[];
}

/** Starts a server that returns what a test specifies and looks like Hearth. */
async function fakeServer({ status, type, chunks }: Answer): Promise<string> {
  const server = http.createServer((_req, res) => {
    res.writeHead(status, { "content-type": type, "x-request-id": "1" });
    for (const chunk of chunks) res.write(chunk);
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the problems that are found in a response once it is read. */
async function problemsOf(path: string, answer: Partial<Answer>, method = "GET"): Promise<string> {
  const url = await fakeServer({ status: 200, type: json, chunks: [], ...answer });
  const response = await fetch(url + path, { method });
  await response.text();
  return takeProblems().join("\n");
}

const body = (value: unknown) => ({ chunks: [JSON.stringify(value)] });
const frames = (...values: readonly string[]) => ({
  type: sse,
  chunks: values.map((value) => `data: ${value}\n\n`),
});
const chunk = {
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [],
  system_fingerprint: "fp_1",
};

describe("a response that does not match /openapi.json fails the test", () => {
  it("but a matching one does not", async () => {
    expect(await problemsOf("/v1/models/m", body(model))).toBe("");
    expect(await problemsOf("/v1/models/a/b", body(model))).toBe("");
  });

  it.each<[string, object, string]>([
    ["with an undeclared field", { ...model, extra: 1 }, "additional properties (extra)"],
    ["without a required field", { ...model, owned_by: undefined }, "required property 'owned_by'"],
    [
      "with a field of the wrong type",
      { ...model, created: "now" },
      '/created must be integer, here it is "now"',
    ],
    ["with another constant", { ...model, object: "list" }, "/object must be equal to constant (model)"],
    ["with an invalid time", { ...model, created_at: "today" }, "/created_at must match"],
  ])("%s", async (_case, wrong, expected) => {
    expect(await problemsOf("/v1/models/m", body(wrong))).toContain(expected);
  });

  it("because of its status, its type, or a body that is not JSON", async () => {
    expect(await problemsOf("/v1/models/m", { ...body(model), status: 206 })).toContain("status");
    expect(await problemsOf("/v1/models/m", { ...body(model), type: "text/html" })).toContain("'text/html'");
    expect(await problemsOf("/v1/models/m", { chunks: ["{"] })).toContain("not JSON");
  });

  it("because of an error in the format of another dialect", async () => {
    const openai = {
      code: "Internal error",
      error: { message: "m", type: "server_error", param: null, code: "internal_error" },
    };
    const anthropic = { type: "error", error: { type: "api_error", message: "m" }, request_id: "1" };
    const failed = { status: 500 };
    expect(await problemsOf("/v1/models", { ...body(openai), ...failed })).toBe("");
    expect(await problemsOf("/v1/models", { ...body(anthropic), ...failed })).toContain("'code'");
    expect(await problemsOf("/v1/messages", { ...body(anthropic), ...failed }, "POST")).toBe("");
    expect(await problemsOf("/v1/messages", { ...body(openai), ...failed }, "POST")).toContain("'type'");
    expect(await problemsOf("/v1/messages/x", { ...body(openai), status: 404 })).toContain("'type'");
    expect(await problemsOf("/nowhere", { ...body({}), status: 404 })).toContain("'code'");
  });
});

describe("an event that does not match /openapi.json fails the test", () => {
  const chat = (...values: readonly string[]) =>
    problemsOf("/v1/chat/completions", frames(...values), "POST");

  it("but a matching one or a comment does not", async () => {
    expect(await chat(JSON.stringify(chunk), "[DONE]")).toBe("");
    const lines = {
      type: sse,
      chunks: [": ping\n\n", `data: ${JSON.stringify(chunk)}\n`, "\ndata: [DONE]\n\n"],
    };
    expect(await problemsOf("/v1/chat/completions", lines, "POST")).toBe("");
  });

  it("because of its data", async () => {
    expect(await chat(JSON.stringify({ ...chunk, object: "chunk" }), "[DONE]")).toContain("event 1: /object");
    expect(await chat("{", "[DONE]")).toContain("event 1");
  });

  it("because of its name", async () => {
    const ping = '{"type":"ping"}';
    const named = (name: string) => ({ type: sse, chunks: [`event: ${name}\ndata: ${ping}\n\n`] });
    expect(await problemsOf("/v1/messages", named("ping"), "POST")).toBe("");
    expect(await problemsOf("/v1/messages", named("pong"), "POST")).toContain(
      "is named pong instead of ping",
    );
    expect(await problemsOf("/v1/messages", frames(ping), "POST")).toContain("is named undefined");
  });

  it("because the stream ends too early or continues too long, but not because it failed", async () => {
    expect(await chat(JSON.stringify(chunk))).toContain("without [DONE]");
    expect(await chat("[DONE]", JSON.stringify(chunk))).toContain("after [DONE]");
    const error = { message: "m", type: "server_error", param: null, code: "internal_error" };
    expect(await chat(JSON.stringify({ error }))).toBe("");
  });
});

describe("an observed response", () => {
  it("keeps its URL, headers and bytes", async () => {
    const url = await fakeServer({ status: 200, type: json, ...body(model) });
    const response = await fetch(`${url}/v1/models/m`);
    expect([response.url, response.status, response.ok]).toEqual([`${url}/v1/models/m`, 200, true]);
    expect(response.headers.get("x-request-id")).toBe("1");
    expect(await response.json()).toEqual(model);
  });

  it("ends the run when its reader leaves, and its incomplete frame is ignored", async () => {
    const server = await startServer({ engine: () => ["Good", new Promise<never>(() => undefined)] });
    const running = server.nextRun();
    const leaving = new AbortController();
    const response = await post(server, { ...hello, stream: true }, { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await expect(reader?.read()).rejects.toThrow("aborted");
    await (
      await running
    ).finished;
    expect(server.engine.aborted).toBe(1);
    expect(takeProblems()).toEqual([]);
  });

  it("passes on the cancellation of a stream at once", async () => {
    const server = await startServer({ engine: () => ["Good", new Promise<never>(() => undefined)] });
    const running = server.nextRun();
    const response = await post(server, { ...hello, stream: true });
    await response.body?.cancel();
    await (
      await running
    ).finished;
    expect(server.engine.aborted).toBe(1);
  });

  it("may have no body", async () => {
    const server = await startServer({ engine: () => [] });
    const init = { headers: headersOf(keys.ada) };
    const statuses = await Promise.all(
      ["HEAD", "OPTIONS"].map(
        async (method) => (await fetch(`${server.url}/v1/models`, { ...init, method })).status,
      ),
    );
    expect(statuses).toEqual([200, 204]);
  });
});
