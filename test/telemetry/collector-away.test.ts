import { describe, expect, it } from "vitest";
import { startServer } from "../kit/server.js";
import { hello, post } from "../kit/server/requests.js";
import { gate } from "../kit/until.js";
import { startCollector } from "../kit/doubles/otlp/collector.js";
import { setVariables, startTracedApp } from "./traced-app.js";
import { readTraceExport } from "../../src/config/tracing.js";

describe("while the collector", () => {
  it("is away, requests are answered, and the log says so once", async () => {
    const server = await startTracedApp(() => ["Good"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_TIMEOUT: "50",
    });
    const problems = () => server.logs.filter(({ message }) => message.startsWith("traces are not exported"));
    for (let sent = 0; sent < 50; sent += 1) expect((await post(server, hello)).status).toBe(200);
    await expect.poll(problems, { timeout: 10_000 }).toHaveLength(1);
    for (let sent = 0; sent < 10; sent += 1) expect((await post(server, hello)).status).toBe(200);
    expect(problems()).toHaveLength(1);
  });

  it("does not answer, at most the configured number of spans waits, and the others are dropped", async () => {
    const answering = gate();
    const collector = await startCollector(answering.opened);
    const server = await startTracedApp(() => ["Good"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_MAX_QUEUE_SIZE: "10",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5",
    });
    await (await post(server, hello)).text();
    await expect.poll(() => collector.requests.length, { timeout: 10_000 }).toBe(1);
    for (let sent = 0; sent < 60; sent += 1) await (await post(server, hello)).text();
    answering.open();
    await collector.received(10);
    await server.close();
    expect(collector.spans.length).toBeLessThanOrEqual(20);
  });
});

describe("the variables of OpenTelemetry", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

  it.each([
    ["nothing is set", {}],
    ["the SDK is disabled", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }],
    ["there is no exporter", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
    ["variables are empty", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
  ])("trace nothing where %s", (_, variables) => {
    expect(readTraceExport(variables)).toEqual({ state: "off" });
  });

  it("name an endpoint, or the exporter without one, and how to speak to it", () => {
    const on = { state: "on", protocol: "http/protobuf", propagates: true };
    expect(readTraceExport(endpoint)).toEqual(on);
    expect(readTraceExport({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.test/x" })).toEqual(on);
    expect(readTraceExport({ OTEL_TRACES_EXPORTER: "otlp" })).toEqual(on);
    const general = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    const variables = { ...general, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" };
    expect(readTraceExport(variables)).toEqual({ ...on, protocol: "http/json" });
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_PROTOCOL", { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    ["OTEL_TRACES_EXPORTER", { OTEL_TRACES_EXPORTER: "zipkin" }],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }],
  ])(
    "that cannot be followed, such as %s, are named in the log; the server starts without traces",
    async (name, variables) => {
      setVariables(variables);
      const traceExport = readTraceExport(process.env);
      const server = await startServer({ engine: () => ["Good"], config: { traceExport } });
      const response = await post(server, hello);
      expect(response.status).toBe(200);
      expect(response.headers.get("traceresponse")).toBeNull();
      const line = server.logs.find(({ message }) => message === "nothing is traced");
      expect(JSON.stringify(line?.fields)).toContain(`${name}: `);
    },
  );
});
