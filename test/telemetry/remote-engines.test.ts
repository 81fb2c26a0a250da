/** Spans of requests to remote engines. */
import { describe, expect, it } from "vitest";
import { sampleText } from "../../src/engine/remote/check.js";
import { startDouble } from "../kit/doubles/engines/double.js";
import { startChatDouble } from "../kit/doubles/engines/openai.js";
import { vllmProtocol } from "../kit/doubles/engines/vllm.js";
import { type TestServer, fileServer, startServer } from "../kit/server.js";
import { builtInModel, testKey } from "../kit/server/settings.js";
import { startCollector } from "../kit/doubles/otlp/collector.js";
import { setVariables } from "./traced-app.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const local = fileServer();

async function startTraced(engines: readonly object[]) {
  const collector = await startCollector();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "10" };
  setVariables(variables);
  const app = await startServer({ environment: { ...variables, HEARTH_ENGINES: JSON.stringify(engines) } });
  return { app, collector };
}

async function post({ url }: TestServer, model: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${testKey}`,
      "content-type": "application/json",
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.text();
  return response.status;
}

async function idsOf(text: string): Promise<readonly number[]> {
  const { engine, models } = local().app;
  const model = models.find(builtInModel);
  if (model === null) throw new Error("there is no built-in model");
  const lease = await engine.load(model);
  const tokens = await engine.tokenize(model, text);
  lease.release();
  return Array.from(tokens, ({ id }) => id);
}

describe("a request to a remote engine", () => {
  it("that takes texts has a span in the trace of its run, which the engine is named", async () => {
    const double = await startChatDouble();
    double.restart((_, at) => (at === 0 ? { status: 500 } : {}));
    const models = [{ id: "far-model", name: "other", contextTokens: 4096 }];
    const { app, collector } = await startTraced([{ kind: "openai", url: double.url, models }]);
    expect([await post(app, "far-model"), await post(app, "far-model")]).toEqual([503, 200]);
    const spans = (await collector.received(6)).filter(({ kind }) => kind === 3);
    const host = new URL(double.url);
    expect(spans.map(({ name, attributes }) => [name, attributes["error.type"] ?? null])).toEqual([
      ["chat other", "model_unavailable"],
      ["chat other", null],
    ]);
    expect(spans[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "other",
      "server.address": host.hostname,
      "server.port": Number(host.port),
    });
    expect(double.headers.map(({ traceparent }) => traceparent)).toEqual(
      spans.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  it("that takes tokens has one, too", async () => {
    const [sample, ids] = [await idsOf(sampleText), await idsOf("Yes")];
    const double = await startDouble(
      vllmProtocol("tiny"),
      () => sample,
      () => ({ frames: [ids], finish: "stop" }),
    );
    const models = [{ id: builtInModel, name: "tiny" }];
    const { app, collector } = await startTraced([{ kind: "vllm", url: double.url, models }]);
    expect(await post(app, builtInModel)).toBe(200);
    const [span] = (await collector.received(3)).filter(({ kind }) => kind === 3);
    expect(span).toMatchObject({ name: "chat tiny", attributes: { "gen_ai.provider.name": "vllm" } });
    expect(double.headers[0]?.["traceparent"]).toBe(`00-${traceId}-${span?.spanId}-01`);
  });
});
