import { once } from "node:events";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { ResponseObject } from "../../../../src/dialects/openai-responses/response-schema.js";
import type { Script } from "../../../kit/scripted/engine.js";
import { type ScriptedSettings, startServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { createResponsesClient } from "../../../kit/clients/responses.js";
import { connect } from "./client.js";

const greeting: Script = () => ["Good ", "day."];
/** Repeats the prompt, so that a test sees what the model read. */
const repeating: Script = (prompt) => [prompt];

const started = (script: Script = greeting, options: ScriptedSettings = {}) =>
  startServer({ engine: script, ...options });

const textOf = (response: ResponseObject): string => JSON.stringify(response.output);

describe("a WebSocket of /v1/responses", () => {
  it("sends the events of a stream over HTTP, one message each, and no end marker", async () => {
    const { url } = await started();
    const client = await connect(url);
    const messages = await client.turn({ input: "Hello" });
    const overHttp = await createResponsesClient(url).stream({ input: "Hello" });
    const typesOf = (events: readonly { readonly type: string }[]) =>
      // Text arrives in as many deltas as the network makes of it.
      events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(typesOf(messages)).toEqual(typesOf(await overHttp.events()));
    expect(messages.at(-1)?.response).toMatchObject({ status: "completed", store: true });
  });

  it("answers the official client, which sees typed events", async () => {
    const { url } = await started();
    const responses = new ResponsesWS(new OpenAI({ baseURL: `${url}/v1`, apiKey: keys.ada }));
    const completed = new Promise<string>((resolve, reject) => {
      responses.on("response.completed", ({ response }) => resolve(JSON.stringify(response.output)));
      responses.on("error", reject);
    });
    responses.send({ type: "response.create", model: "ember-1m", input: "Hello" });
    expect(await completed).toContain("Good day.");
    responses.close();
  });

  it("answers turns one after the other, in the order in which they were sent", async () => {
    const { url, engine } = await started((prompt) => [prompt.includes("first") ? "One" : "Two"]);
    const client = await connect(url);
    for (const input of ["first", "second"])
      client.send({ type: "response.create", model: "ember-1m", input });
    const texts: string[] = [];
    while (texts.length < 2) {
      const { type, response } = await client.next();
      expect(engine.active).toBeLessThanOrEqual(1);
      if (type === "response.completed" && response !== undefined) texts.push(textOf(response));
    }
    expect(texts[0]).toContain("One");
    expect(texts[1]).toContain("Two");
  });

  it("continues a response that is not stored, over the same connection only, and reports what it continues", async () => {
    const { url } = await started(repeating);
    const client = await connect(url);
    const first = await client.respond({ input: "The code word is cobalt.", store: false });
    const second = await client.respond({ input: "And?", previous_response_id: first.id, store: false });
    expect(second.previous_response_id).toBe(first.id);
    expect(textOf(second)).toContain("cobalt");
    const third = await client.respond({ input: "So?", previous_response_id: second.id, store: false });
    expect(textOf(third)).toContain("cobalt");
    const other = await connect(url);
    expect(
      await other.refusal({ input: "And?", previous_response_id: third.id, store: false }),
    ).toMatchObject({
      type: "error",
      status: 400,
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
    expect(await other.respond({ input: "Anew", store: false })).toMatchObject({ status: "completed" });
  });

  it("continues a stored response, from any connection, and a response that is not stored after it", async () => {
    const { url } = await started(repeating);
    const stored = await (await connect(url)).respond({ input: "The code word is cobalt." });
    const client = await connect(url);
    const next = await client.respond({ input: "Next", previous_response_id: stored.id, store: false });
    const last = await client.respond({ input: "Last", previous_response_id: next.id, store: true });
    expect(textOf(last)).toContain("cobalt");
    expect(last).toMatchObject({ store: true, previous_response_id: next.id });
  });

  it("answers generate: false with an empty response, without a run, which the next turn continues", async () => {
    const server = await started(repeating);
    const client = await connect(server.url);
    const { id, output, status } = await client.respond({
      input: "The code word is cobalt.",
      generate: false,
    });
    expect([status, output, await server.records()]).toEqual(["completed", [], []]);
    const next = await client.respond({ input: "Which?", previous_response_id: id });
    expect(textOf(next)).toContain("cobalt");
  });

  it("forgets the response that a failed turn has continued", async () => {
    const { url } = await started();
    const client = await connect(url);
    const { id } = await client.respond({ input: "Hello", store: false });
    const orphan = [{ type: "function_call_output", call_id: "call_without_match", output: "1" }];
    expect(await client.refusal({ input: orphan, previous_response_id: id, store: false })).toMatchObject({
      type: "error",
      status: 400,
    });
    const again = await client.refusal({ input: "Go on", previous_response_id: id, store: false });
    expect(again.error?.code).toBe("previous_response_not_found");
  });

  it("begins a new conversation from a compacted one", async () => {
    const { url } = await started(repeating);
    const compacted = await fetch(`${url}/v1/responses/compact`, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", input: "The code word is cobalt." }),
    });
    const { output } = (await compacted.json()) as { output: readonly object[] };
    const client = await connect(url);
    const input = [...output, { type: "message", role: "user", content: "Which?" }];
    expect(textOf(await client.respond({ input, store: false }))).toContain("cobalt");
  });

  it("reports errors as over HTTP, with their status, and stays open", async () => {
    const { url } = await started();
    const client = await connect(url);
    expect(await client.refusal({ model: "no-such-model", input: "Hello" })).toMatchObject({
      status: 404,
      error: { code: "model_not_found", param: "model" },
    });
    expect(await client.refusal({ input: 7 })).toMatchObject({ status: 422, error: { param: "input" } });
    expect(await client.refusal({ type: "response.cancel" })).toMatchObject({ error: { param: "type" } });
    expect(await client.refusal({ background: true, input: "x" })).toMatchObject({
      error: { param: "background" },
    });
    client.send("{");
    expect(await client.next()).toMatchObject({ type: "error", status: 400, error: { code: "malformed" } });
    expect(await client.respond({ input: "Hello" })).toMatchObject({ status: "completed" });
  });

  it("keeps numbers exact that a double does not have", async () => {
    const { url } = await started(() => ['{"a":9007199254740993}']);
    const client = await connect(url);
    const schema = `{"type":"object","properties":{"a":{"const":9007199254740993}},"required":["a"],"additionalProperties":false}`;
    client.send(
      `{"type":"response.create","model":"ember-1m","input":"x","text":{"format":{"type":"json_schema","name":"n","schema":${schema}}}}`,
    );
    let message = await client.next();
    while (!/completed|failed|error/.test(message.type)) message = await client.next();
    expect(message).toMatchObject({ type: "response.completed" });
  });

  it("ends the run of a client that leaves", async () => {
    const server = await started(() => ["Good", gate().opened]);
    const client = await connect(server.url);
    client.send({ type: "response.create", model: "ember-1m", input: "Hello" });
    await until(() => server.engine.active === 1);
    client.socket.terminate();
    await until(() => server.engine.active === 0);
    expect(await server.records()).toMatchObject([{ state: "aborted" }]);
  });

  it("refuses turns beyond those that may wait", async () => {
    const { url } = await started(() => ["Good", gate().opened]);
    const client = await connect(url);
    for (let turn = 0; turn < 18; turn += 1)
      client.send({ type: "response.create", model: "ember-1m", input: "Hello" });
    const found = [];
    while (found.at(-1)?.type !== "error") found.push(await client.next());
    expect(found.at(-1)).toMatchObject({ status: 429, error: { code: "too_many_turns" } });
  });

  it("ends a connection after an hour with an error that says so, and not within a turn", async () => {
    const hold = gate();
    const { url, clock, engine } = await started(() => ["Good", hold.opened], {
      httpLimits: { pingEveryMs: 7_200_000 },
    });
    const client = await connect(url);
    client.send({ type: "response.create", model: "ember-1m", input: "Wait" });
    await until(() => engine.active === 1);
    clock.advance(3_600_000);
    hold.open();
    let message = await client.next();
    while (!/completed|error/.test(message.type)) message = await client.next();
    expect(message.type).toBe("response.completed");
    expect(await client.next()).toMatchObject({ error: { code: "websocket_connection_limit_reached" } });
    const [code] = (await once(client.socket, "close")) as [number];
    expect(code).toBe(1000);
  });

  it("closes with the server: the turn in flight is answered, then the connection ends with code 1001", async () => {
    const hold = gate();
    const { url, app, engine } = await started(() => ["Good", hold.opened], {
      config: { shutdownGraceMs: 60_000 },
    });
    const client = await connect(url);
    client.send({ type: "response.create", model: "ember-1m", input: "Wait" });
    await until(() => engine.active === 1);
    const closed = once(client.socket, "close") as Promise<[number]>;
    const closing = app.close();
    hold.open();
    let message = await client.next();
    while (message.type !== "response.completed") message = await client.next();
    expect((await closed)[0]).toBe(1001);
    await closing;
  });
});

describe("the handshake", () => {
  const refused = async (
    url: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<[number, unknown]> => {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, { headers });
    socket.on("error", () => undefined);
    const [, response] = (await once(socket, "unexpected-response")) as [
      unknown,
      AsyncIterable<Buffer> & { statusCode: number },
    ];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return [response.statusCode, JSON.parse(Buffer.concat(chunks).toString())];
  };

  it("refuses a wrong key, an unknown host, another path and a page's origin with the errors of HTTP", async () => {
    const { url } = await started(greeting, { config: { corsOrigins: ["https://app.example"] } });
    const authorization = `Bearer ${keys.ada}`;
    expect(await refused(url, "/v1/responses", { authorization: "Bearer hk-wrong" })).toMatchObject([
      401,
      { error: { type: "authentication_error" } },
    ]);
    expect(await refused(url, "/v1/responses", { authorization, host: "evil.example" })).toMatchObject([
      403,
      { error: { code: "host_not_allowed" } },
    ]);
    expect((await refused(url, "/v1/nothing", { authorization }))[0]).toBe(404);
    expect(await refused(url, "/v1/models", { authorization })).toMatchObject([
      400,
      { error: { code: "websocket_not_supported" } },
    ]);
    expect(
      await refused(url, "/v1/responses", { authorization, origin: "https://evil.example" }),
    ).toMatchObject([403, { error: { code: "origin_not_allowed" } }]);
  });

  it("admits any valid key, and refuses each turn that the key may not make", async () => {
    const { url } = await started();
    const client = await connect(url, keys.eve);
    expect(await client.refusal({ input: "Hello" })).toMatchObject({
      status: 403,
      error: { type: "permission_error" },
    });
  });

  it("serves a request for another protocol over HTTP/1.1, with its body", async () => {
    const { url } = await started();
    const { hostname, port } = new URL(url);
    const { connect: open } = await import("node:net");
    const socket = open(Number(port), hostname);
    const body = JSON.stringify({ model: "ember-1m", input: "Hello" });
    socket.write(
      [
        "POST /v1/responses HTTP/1.1",
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${keys.ada}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA",
        "",
        body,
      ].join("\r\n"),
    );
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    const answer = (): string => Buffer.concat(chunks).toString();
    await until(() => answer().includes("Good day."));
    expect(answer()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });
});
