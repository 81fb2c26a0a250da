/** A real MCP server on loopback, made with the protocol's own SDK, and servers that break its rules. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { z } from "zod";

export interface TestMcpServer {
  readonly url: string;
  /** `127.0.0.1:port`, as the setting names it. */
  readonly host: string;
  /** Every request it received. */
  readonly requests: readonly IncomingMessage[];
  /** The JSON-RPC methods it was asked for, in order; without notifications. */
  readonly methods: readonly string[];
  /** The texts of the bodies of its requests. */
  readonly bodies: readonly string[];
  /** Names and arguments of the calls. */
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** A picture of one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What an ordinary server offers: a sum, a failure, a picture and an endless wait. */
function offer(server: McpServer): void {
  const numbers = { a: z.number().int(), b: z.number().int() };
  server.registerTool(
    "add",
    { description: "Adds two numbers.", inputSchema: numbers, annotations: { readOnlyHint: true } },
    ({ a, b }) => text(String(a + b)),
  );
  server.registerTool("fail", { description: "Fails." }, () => ({ ...text("no luck"), isError: true }));
  server.registerTool("picture", { description: "Draws." }, () => ({
    content: [
      { type: "text", text: "Here it is:" },
      { type: "image", data: pixel, mimeType: "image/png" },
    ],
  }));
  server.registerTool(
    "wait",
    { description: "Never answers." },
    () => new Promise<CallToolResult>(() => undefined),
  );
}

export function text(value: string): CallToolResult {
  return { content: [{ type: "text", text: value }] };
}

/** Starts a server that speaks streamable HTTP, without sessions. */
export function startMcpServer(tools: (server: McpServer) => void = offer): Promise<TestMcpServer> {
  return start(async (request, response, body) => {
    const transport = new StreamableHTTPServerTransport({});
    const server = new McpServer({ name: "test", version: "1.0.0" });
    tools(server);
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  });
}

/** Starts a server that speaks streamable HTTP, with sessions, which their clients end. */
export function startMcpServerWithSessions(): Promise<TestMcpServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return start(async (request, response, body) => {
    const known = transports.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response, body);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${transports.size + 1}`,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const server = new McpServer({ name: "sessions", version: "1.0.0" });
    offer(server);
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  });
}

/** Starts a server that speaks only the older transport, of HTTP with server-sent events. */
export function startOlderMcpServer(tools: (server: McpServer) => void = offer): Promise<TestMcpServer> {
  const transports = new Map<string, SSEServerTransport>();
  return start(async (request, response, body) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      const server = new McpServer({ name: "older", version: "1.0.0" });
      tools(server);
      await server.connect(transport);
      return;
    }
    const transport = transports.get(url.searchParams.get("sessionId") ?? "");
    if (transport === undefined) response.writeHead(404).end("no such session");
    else await transport.handlePostMessage(request, response, body);
  });
}

/** Answers each JSON-RPC request with a result of one's own. @param answer returns a result, or writes the response itself. */
export function startRawMcpServer(
  answer: (method: string, response: ServerResponse, id: number) => unknown,
): Promise<TestMcpServer> {
  return start((_request, response, body) => {
    const { id, method } = body as { readonly id?: number; readonly method: string };
    if (id === undefined) {
      response.writeHead(202).end();
      return Promise.resolve();
    }
    const result = method === "initialize" ? initialized : answer(method, response, id);
    if (result !== undefined)
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return Promise.resolve();
  });
}

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "raw", version: "1.0.0" },
};

type Handle = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;

async function start(handle: Handle): Promise<TestMcpServer> {
  const requests: IncomingMessage[] = [];
  const methods: string[] = [];
  const bodies: string[] = [];
  const calls: { name: string; arguments: unknown }[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    void bodyOf(request)
      .then((text) => {
        bodies.push(text);
        const body: unknown = text === "" ? undefined : JSON.parse(text);
        const message = z.looseObject({ id: z.unknown(), method: z.string() }).safeParse(body).data;
        if (message?.id !== undefined) methods.push(message.method);
        const call = z
          .object({ params: z.object({ name: z.string(), arguments: z.unknown() }) })
          .safeParse(body);
        if (message?.method === "tools/call" && call.success) calls.push(call.data.params);
        return handle(request, response, body);
      })
      .catch(() => response.destroy());
  };
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}/mcp`, host, requests, methods, bodies, calls };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
