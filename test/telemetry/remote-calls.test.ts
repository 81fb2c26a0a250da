import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createImageFetcher } from "../../src/network/fetch.js";
import { readAllowedHosts } from "../../src/network/hosts.js";
import { startMcpServer } from "../kit/doubles/mcp-server.js";
import { startCollector } from "../kit/doubles/otlp/collector.js";
import { headersOf } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { adds, input, model, toolOf } from "../http/inference/responses/mcp/app.js";
import { systemClock } from "../../src/system/clock.js";
import { startTracedApp } from "./traced-app.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";

describe("a call of another server", () => {
  it("by MCP names the trace of the request that needs it, with the client's trace state", async () => {
    const [collector, mcp] = [await startCollector(), await startMcpServer()];
    const server = await startTracedApp(
      adds,
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      { contextTokens: 4_000 },
      { mcpHosts: [mcp.host] },
    );
    const response = await fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: {
        ...headersOf(keys.ada),
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        tracestate: "vendor=value",
      },
      body: JSON.stringify({ model, input, tools: [toolOf(mcp)] }),
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(mcp.calls).toHaveLength(1);
    const spans = await collector.received(2);
    const ids = spans.map(({ spanId }) => spanId);
    for (const { headers } of mcp.requests) {
      const [, trace, parent] = String(headers["traceparent"]).split("-");
      expect(trace).toBe(traceId);
      expect(ids).toContain(parent);
      expect(headers["tracestate"]).toBe("vendor=value");
    }
  });

  it("has no such header where nothing is traced, or OTEL_PROPAGATORS says so", async () => {
    const [collector, mcp] = [await startCollector(), await startMcpServer()];
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_PROPAGATORS: "none" };
    const options = { contextTokens: 4_000 };
    const server = await startTracedApp(adds, variables, options, { mcpHosts: [mcp.host] });
    const response = await fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: { ...headersOf(keys.ada), traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      body: JSON.stringify({ model, input, tools: [toolOf(mcp)] }),
    });
    await response.text();
    const spans = await collector.received(2);
    expect(mcp.requests.filter(({ headers }) => "traceparent" in headers)).toEqual([]);
    expect(spans.map((span) => span.traceId)).not.toContain(traceId);
  });

  it("for an image has the headers of the trace, and none of the client's", async () => {
    const received: unknown[] = [];
    const images = createServer((request, response) => {
      received.push(request.headers);
      response.end("an image");
    });
    await new Promise<void>((resolve) => images.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void images.close());
    const { port } = images.address() as AddressInfo;
    const fetcher = createImageFetcher({
      clock: systemClock,
      allowedHosts: readAllowedHosts(["images.test"], "imageFetch"),
      headers: () => ({ traceparent: "of the trace" }),
      log: () => undefined,
      lookup: () => Promise.resolve([{ address: "93.184.216.34", family: 4 }]),
      dial: (asked, _addresses, callback) =>
        buildConnector({})({ ...asked, hostname: "127.0.0.1", port: String(port) }, callback),
    });
    const { signal } = new AbortController();
    const bytes = await fetcher.fetch("http://images.test/cat.png", "image", signal);
    expect(Buffer.from(bytes).toString()).toBe("an image");
    expect(received).toEqual([expect.objectContaining({ traceparent: "of the trace", host: "images.test" })]);
  });
});
