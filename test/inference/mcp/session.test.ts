import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../kit/until.js";
import {
  pixel,
  startMcpServer,
  startMcpServerWithSessions,
  startOlderMcpServer,
  startRawMcpServer,
} from "../../kit/doubles/mcp-server.js";
import { problem, secret, sessionOf, sessionWith, signal } from "./open-session.js";

describe("a session with an MCP server", () => {
  it.each([
    ["streamable HTTP", startMcpServer],
    ["the older transport", startOlderMcpServer],
  ])("lists and calls tools over %s", async (_name, start) => {
    const server = await start();
    const { session } = sessionOf(server);
    const tools = await session.list(signal);
    expect(tools.map(({ name }) => name)).toEqual(["add", "fail", "picture", "wait"]);
    expect(tools[0]).toMatchObject({ description: "Adds two numbers.", annotations: { readOnlyHint: true } });
    expect(await session.call("add", '{"a":2,"b":3}', signal)).toEqual({
      failed: false,
      text: "5",
      images: [],
    });
    expect(server.methods.slice(-3)).toEqual(["initialize", "tools/list", "tools/call"]);
    session.close();
  });

  it("sends the headers of the request with every message, and nothing else of the client", async () => {
    const server = await startMcpServer();
    const { session } = sessionOf(server, { authorization: `Bearer ${secret}`, "x-team": "7" });
    await session.call("add", '{"a":1,"b":1}', signal);
    for (const { headers } of server.requests)
      expect(headers).toMatchObject({ authorization: `Bearer ${secret}`, "x-team": "7" });
  });

  it("uses the same storage of contexts as all others, because each storage makes every promise of the server slower", async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, "run");
    onTestFinished(() => run.mockRestore());
    const server = await startMcpServer();
    for (const b of [1, 2, 3]) {
      const { session } = sessionOf(server);
      await session.call("add", `{"a":9007199254740993,"b":${b}}`, signal);
      session.close();
    }
    expect(run.mock.contexts.length).toBeGreaterThan(3);
    expect(new Set(run.mock.contexts).size).toBe(1);
  });

  it("ends on the server when it is closed", async () => {
    const server = await startMcpServerWithSessions();
    const { session } = sessionOf(server);
    await session.call("add", '{"a":2,"b":3}', signal);
    session.close();
    await until(() => server.requests.some(({ method }) => method === "DELETE"));
    expect(server.requests.at(-1)?.headers["mcp-session-id"]).toBe("session-1");
  });

  it.each([
    ["streamable HTTP", startMcpServer],
    ["the older transport", startOlderMcpServer],
  ])("sends numbers of any size as they are written, over %s", async (_name, start) => {
    const server = await start();
    const { session } = sessionOf(server);
    const json = '{"id": 9007199254740993, "ratio":0.12345678901234567890, "text":"9007199254740993"}';
    await Promise.all([session.call("any", json, signal), session.call("add", '{"a":2,"b":3}', signal)]);
    const sent = server.bodies.filter((body) => body.includes("tools/call"));
    expect(sent.filter((body) => body.includes(`"arguments":${json}`))).toHaveLength(1);
    expect(sent.filter((body) => body.includes('"arguments":{"a":2,"b":3}'))).toHaveLength(1);
    session.close();
  });

  it("reports what fails in a call as its result", async () => {
    const { session } = sessionOf(await startMcpServer());
    const failure = (tool: string, json: string) => session.call(tool, json, signal);
    expect(await failure("fail", "{}")).toEqual({ failed: true, text: "no luck", images: [] });
    expect(await failure("add", '{"a":')).toMatchObject({
      failed: true,
      text: "The arguments are not a JSON object.",
    });
    expect(await failure("add", '{"a":"x"}')).toMatchObject({ failed: true, text: /-32602|a/ });
    expect(await failure("unknown", "{}")).toMatchObject({ failed: true });
  });

  it("returns images with their place in the text", async () => {
    const { session } = sessionOf(await startMcpServer());
    expect(await session.call("picture", "{}", signal)).toEqual({
      failed: false,
      text: "Here it is:",
      images: [{ at: "Here it is:".length, url: `data:image/png;base64,${pixel}` }],
    });
  });

  it("names parts that a model cannot read, and reads structured results where there is no text", async () => {
    const server = await startRawMcpServer((method) =>
      method === "tools/call"
        ? {
            content: [
              { type: "audio", data: "AAAA", mimeType: "audio/wav" },
              { type: "resource_link", uri: "file:///a.txt", name: "a" },
              { type: "resource", resource: { uri: "file:///b.txt", text: "the text of b" } },
              { type: "hologram" },
            ],
          }
        : { tools: [] },
    );
    const { session } = sessionOf(server);
    const { text: read } = await session.call("any", "{}", signal);
    expect(read).toBe(
      "[audio: audio/wav]\n[resource: file:///a.txt]\nthe text of b\n[a part of an unknown type]",
    );
    const structured = await startRawMcpServer(() => ({ content: [], structuredContent: { sum: 5 } }));
    expect(await sessionOf(structured).session.call("any", "{}", signal)).toMatchObject({
      text: '{"sum":5}',
    });
  });
});

describe("the hosts of MCP servers", () => {
  const refusal = (url: string, hosts: readonly string[]): string => {
    try {
      sessionWith(url, { hosts });
      return "opened";
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : "";
    }
  };

  it.each([
    ["http://tools.example/mcp", [], /names an MCP server; this server uses none \(setting mcpHosts\)/],
    ["http://tools.example/mcp", ["other.example"], /leads to a host that this server does not connect to/],
    [
      "http://tools.example:81/mcp",
      ["tools.example"],
      /leads to a host that this server does not connect to/,
    ],
    ["file:///etc/passwd", ["*"], /must be an http or https URL/],
    ["http://me:pw@tools.example/", ["*"], /must not hold a user name or a password/],
    ["nothing", ["*"], /must be an http or https URL/],
  ])("refuse %s where the list is %j", (url, hosts, message) => {
    expect(refusal(url, hosts)).toMatch(message);
  });

  it("A1: lead to no address that is not public, whatever names the list has", async () => {
    const server = await startMcpServer();
    const port = server.host.split(":")[1] ?? "";
    const hosts = [`*:${port}`, `*.example:${port}`, `tools.example:${port}`];
    const names = { "tools.example": "127.0.0.1", "a.example": "10.1.2.3" };
    const places = [
      server.url,
      `http://localhost:${port}/`,
      ...Object.keys(names).map((name) => `http://${name}:${port}/`),
    ];
    const gone = `http://gone.example:${port}/`;
    for (const url of [...places, gone]) {
      const { session } = sessionWith(url, { hosts, names: { ...names, localhost: "127.0.0.1" } });
      expect(await problem(session)).toBe(
        'The tools of the MCP server "tools" cannot be listed: it could not be reached at an allowed address.',
      );
    }
    expect(server.requests).toEqual([]);
  });

  it("lead to an address that is not public where the list names it, too", async () => {
    const server = await startMcpServer();
    const port = server.host.split(":")[1] ?? "";
    const named = { hosts: [`tools.example:${port}`, server.host], names: { "tools.example": "127.0.0.1" } };
    expect(await problem(sessionWith(`http://tools.example:${port}/mcp`, named).session)).toBe("listed 4");
    const local = { hosts: [`localhost:${port}`], names: { localhost: "127.0.0.1" } };
    expect(await problem(sessionWith(`http://localhost:${port}/mcp`, local).session)).toBe("listed 4");
  });

  it("A2, A7: are not left by a redirect, which never receives the headers", async () => {
    const inside = await startMcpServer();
    const server = await startRawMcpServer((_method, response) => {
      response.writeHead(307, { location: inside.url }).end();
    });
    const port = inside.host.split(":")[1] ?? "";
    const { session } = sessionWith(server.url, {
      hosts: [server.host, `127.0.0.1:${port}`],
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await problem(session)).toMatch(/it redirects to another origin\.$/);
    expect(inside.requests).toEqual([]);
  });
});

it("the SDK of MCP is loaded with the first session only", () => {
  const connector = readFileSync(new URL("../../../src/inference/mcp/connect.ts", import.meta.url), "utf8");
  const imports = [...connector.matchAll(/^import (type )?.*"@modelcontextprotocol[^"]*";$/gm)];
  expect(imports.map(([, type]) => type)).toEqual(imports.map(() => "type "));
});
