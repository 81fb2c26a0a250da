import { describe, expect, it } from "vitest";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { createDeferred, waitForOutcome } from "../kit/clients/deferred.js";
import { startCollector, type Collector } from "../kit/doubles/otlp/collector.js";
import { startTracedApp } from "./traced-app.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerId = "b7ad6b7169203331";
const secretPrompt = "the-secret-of-the-prompt";

const toCollector = ({ url }: Collector) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

describe.each(["http/protobuf", "http/json"])("a trace by %s", (protocol) => {
  async function traced() {
    const collector = await startCollector();
    const server = await startTracedApp(() => ["An", " answer"], {
      ...toCollector(collector),
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=of-the-collector",
      OTEL_SERVICE_NAME: "our-models",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    const response = await post(
      server,
      { ...hello, messages: [{ role: "user", content: secretPrompt }], temperature: 0.5, max_tokens: 20 },
      {
        headers: {
          ...headersOf(keys.ada),
          traceparent: `00-${traceId}-${callerId}-01`,
          tracestate: "vendor=value",
          "x-request-id": "request-of-the-client",
        },
      },
    );
    await response.text();
    const spans = await collector.received(2);
    const request = spans.find(({ kind }) => kind === 2);
    const run = spans.find(({ kind }) => kind === 1);
    if (request === undefined || run === undefined) throw new Error("a span is missing");
    return { collector, server, response, request, run };
  }

  it("has a span of the request below the client's, and one of the run below that", async () => {
    const { collector, request, run } = await traced();
    expect(request).toMatchObject({
      traceId,
      parentSpanId: callerId,
      traceState: "vendor=value",
      name: "POST /v1/chat/completions",
    });
    expect(run).toMatchObject({ traceId, parentSpanId: request.spanId, name: "chat ember-1m" });
    expect(collector.requests[0]).toEqual({
      type: protocol === "http/json" ? "application/json" : "application/x-protobuf",
      path: "/v1/traces",
      key: "of-the-collector",
    });
    expect(request.resource).toMatchObject({
      "service.name": "our-models",
      "deployment.environment.name": "test",
    });
  });

  it("names the request, the model, the parameters, the tokens and the end by the conventions", async () => {
    const { server, request, run } = await traced();
    const [record] = await server.records();
    expect(request.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "url.scheme": "http",
      "server.address": "127.0.0.1",
      "server.port": server.port,
      "hearth.request_id": "request-of-the-client",
    });
    expect(run.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "hearth",
      "gen_ai.request.model": "ember-1m",
      "gen_ai.response.model": "ember-1m",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.max_tokens": 20,
      "gen_ai.usage.input_tokens": record?.usage.promptTokens,
      "gen_ai.usage.output_tokens": record?.usage.completionTokens,
      "gen_ai.response.finish_reasons": ["stop"],
      "hearth.run_id": record?.id,
      "hearth.request_id": "request-of-the-client",
      "hearth.team_id": "team-1",
      "hearth.api_key_id": "key-of-ada",
      "hearth.state": "completed",
    });
    expect(run.statusCode).not.toBe(2);
  });

  it("has nothing of the prompt, the answer or the key", async () => {
    const { collector } = await traced();
    const all = collector.bodies.map((body) => body.toString("latin1")).join("\n");
    for (const secret of [secretPrompt, "An answer", " answer", keys.ada]) expect(all).not.toContain(secret);
  });

  it("is named by the response and the log", async () => {
    const { server, response, request } = await traced();
    expect(response.headers.get("traceresponse")).toBe(`00-${traceId}-${request.spanId}-01`);
    const line = server.logs.find(({ message }) => message === "request");
    expect(line?.fields).toMatchObject({ traceId, requestId: "request-of-the-client" });
  });
});

describe("a span", () => {
  it("begins a trace where the client sends none, or one that is not valid", async () => {
    const collector = await startCollector();
    const server = await startTracedApp(() => ["Good"], toCollector(collector));
    await (await post(server, hello)).text();
    const traceparent = `00-${"0".repeat(32)}-${callerId}-01`;
    await (await post(server, hello, { headers: { ...headersOf(keys.ada), traceparent } })).text();
    const spans = await collector.received(4);
    const requests = spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(["", ""]);
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(2);
  });

  it("of a run that fails has the kind of the error, and is marked as failed", async () => {
    const collector = await startCollector();
    const server = await startTracedApp(() => {
      throw new Error("out of order");
    }, toCollector(collector));
    const response = await post(server, hello);
    expect(response.status).toBe(500);
    const spans = await collector.received(2);
    for (const span of spans) expect(span.statusCode).toBe(2);
    const run = spans.find(({ kind }) => kind === 1);
    expect(run?.attributes).toMatchObject({ "error.type": "internal", "hearth.state": "failed" });
    expect(collector.bodies.toString()).not.toContain("out of order");
  });

  it("of a request that is refused has its status, and no run", async () => {
    const collector = await startCollector();
    const server = await startTracedApp(() => ["Good"], toCollector(collector));
    await (await post(server, hello, { headers: headersOf("a-key-that-nobody-has") })).text();
    await (await fetch(`${server.url}/images/guessed.png`)).text();
    await (await fetch(`${server.url}/healthz`)).text();
    await (await post(server, hello)).text();
    const spans = await collector.received(4);
    const requests = spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([
      401, 404, 200,
    ]);
    // The name of an image opens it.
    expect(JSON.stringify(spans)).not.toContain("guessed");
  });

  it("of a run that a job starts begins a trace of its own, whoever woke the queue", async () => {
    const collector = await startCollector();
    const server = await startTracedApp(() => ["Good"], toCollector(collector));
    const id = await createDeferred(server);
    await (await waitForOutcome(server, id)).text();
    const find = () => collector.spans.find(({ kind }) => kind === 1);
    await collector.received(2);
    await expect.poll(find).toBeDefined();
    const run = find();
    expect(run?.parentSpanId).toBe("");
    expect(run?.attributes).toMatchObject({ "hearth.work_class": "deferred", "hearth.request_id": id });
    const requests = collector.spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ traceId: each }) => each)).not.toContain(run?.traceId);
  });

  it("has what the model read and wrote only where the operator asks for it, and never of what is not stored", async () => {
    const collector = await startCollector();
    const config = { traceContent: true };
    const server = await startTracedApp(() => ["An", " answer"], toCollector(collector), {}, config);
    await (await post(server, hello)).text();
    await (await post(server, { ...hello, store: false })).text();
    const spans = await collector.received(4);
    const [kept, ephemeral] = spans.filter(({ kind }) => kind === 1);
    const read = (name: string): unknown => JSON.parse(String(kept?.attributes[name]));
    expect(read("gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: "Hello" }] },
    ]);
    expect(read("gen_ai.output.messages")).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "An answer" }], finish_reason: "stop" },
    ]);
    expect(Object.keys(ephemeral?.attributes ?? {})).not.toContain("gen_ai.input.messages");
  });
});

describe("the sampler", () => {
  it("is the one of the variables, and the client's decision counts where it says so", async () => {
    const collector = await startCollector();
    const off = { ...toCollector(collector), OTEL_TRACES_SAMPLER: "parentbased_always_off" };
    const server = await startTracedApp(() => ["Good"], off);
    const send = (flags: string) =>
      post(server, hello, {
        headers: { ...headersOf(keys.ada), traceparent: `00-${traceId}-${callerId}-${flags}` },
      });
    await (await post(server, hello)).text();
    await (await send("00")).text();
    await (await send("01")).text();
    const spans = await collector.received(2);
    expect(spans.map((span) => span.traceId)).toEqual([traceId, traceId]);
  });
});
