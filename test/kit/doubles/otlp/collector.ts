/** A collector of traces by OTLP over HTTP: it decodes what it receives, protobuf and JSON. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { until } from "../../until.js";
import { decodeJsonTraces } from "./json.js";
import { decodeTraces } from "./protobuf.js";
import type { ReceivedSpan } from "./span.js";

export interface Collector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Content types, paths and header `x-collector-key` of the requests. */
  readonly requests: readonly { readonly type: string; readonly path: string; readonly key: string }[];
  /** All bodies, as they came. */
  readonly bodies: readonly Buffer[];
  /** Resolves with the spans once there are so many. */
  received(count: number): Promise<readonly ReceivedSpan[]>;
}

/** Starts a collector; it is closed when the test ends. @param answering resolves when it answers; absent: at once */
export async function startCollector(answering: Promise<void> = Promise.resolve()): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const requests: Collector["requests"][number][] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      const type = headers["content-type"] ?? "";
      const sent = Buffer.concat(chunks);
      const body = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      requests.push({ type, path: request.url ?? "", key: String(headers["x-collector-key"] ?? "") });
      bodies.push(body);
      void answering.then(() => {
        spans.push(...(type === "application/json" ? decodeJsonTraces(body) : decodeTraces(body)));
        response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    bodies,
    async received(count) {
      await until(() => spans.length >= count);
      return spans;
    },
  };
}
