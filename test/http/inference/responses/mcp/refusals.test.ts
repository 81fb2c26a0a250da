import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { startMcpServer, startRawMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { adds, input, model, secret, start, toolOf } from "./app.js";

describe("a request that names an MCP server", () => {
  it.each([
    ["no server is allowed", { mcpHosts: [] }, {}, "tools.0.server_url", /setting mcpHosts/],
    ["it is another host", { mcpHosts: ["tools.example"] }, {}, "tools.0.server_url", /setting mcpHosts/],
    [
      "it is a connector",
      {},
      { connector_id: "connector_gmail" },
      "tools.0.connector_id",
      /connectors are not supported/,
    ],
    [
      "a header is the connection's",
      {},
      { headers: { host: "a" } },
      "tools.0.headers.host",
      /belongs to the connection/,
    ],
    ["a header has two lines", {}, { headers: { a: "b\r\nc: d" } }, "tools.0.headers.a", /must be one line/],
    ["its label is no name", {}, { server_label: "a b" }, "tools.0.server_label", /must be a letter/],
  ])("is refused when %s", async (_case, config, changes, param, message) => {
    const mcp = await startMcpServer();
    const { client } = await start(mcp, adds, config);
    const tool = toolOf(mcp, changes as Partial<Tool.Mcp>);
    const refused = client.responses.create({ model, input, tools: [tool] });
    await expect(refused).rejects.toMatchObject({ param, message: expect.stringMatching(message) as string });
    expect(mcp.requests).toEqual([]);
  });

  it("fails with 424 and starts no run when the server does not list its tools", async () => {
    const mcp = await startRawMcpServer((_method, response) => {
      response.writeHead(503).end("away");
    });
    const { server, client } = await start(mcp);
    for (const stream of [false, true])
      await expect(
        client.responses.create({ model, input, tools: [toolOf(mcp)], stream }),
      ).rejects.toMatchObject({
        status: 424,
        type: "external_connector_error",
        message: expect.stringContaining(
          'MCP server "math" cannot be listed: it answers with the status 503',
        ) as string,
      });
    expect(await server.records()).toEqual([]);
  });

  it("is refused with more servers than the setting allows, or two of one label", async () => {
    const mcp = await startMcpServer();
    const { client } = await start(mcp, adds, { mcpServersMax: 1 });
    const two = (label: string) => [toolOf(mcp), toolOf(mcp, { server_label: label })];
    await expect(client.responses.create({ model, input, tools: two("other") })).rejects.toThrow(
      /setting mcpServersMax/,
    );
    await expect(client.responses.create({ model, input, tools: two("math") })).rejects.toThrow(
      /already the label/,
    );
  });

  it("E10: never has its secrets stored, logged or repeated", async () => {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp);
    const tools = [
      toolOf(mcp, {
        authorization: secret,
        headers: { "x-key": `${secret}-2` },
        server_url: `${mcp.url}?key=${secret}`,
      }),
    ];
    const events: unknown[] = [];
    for await (const event of await client.responses.create({ model, input, tools, stream: true }))
      events.push(event);
    const response = await client.responses.create({ model, input, tools });
    expect(mcp.requests.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      "x-key": `${secret}-2`,
    });
    expect(response.tools).toEqual([
      {
        type: "mcp",
        server_label: "math",
        server_url: `http://${mcp.host}/<redacted>`,
        headers: null,
        allowed_tools: null,
        require_approval: "never",
      },
    ]);
    expect(JSON.stringify([events, response, server.logs])).not.toContain(secret);
    await expect(client.responses.create({ model, input, tools, background: true })).rejects.toMatchObject({
      status: 400,
      param: "tools.0",
    });
    await server.close();
    for (const file of readdirSync(server.data, { recursive: true, withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(secret)).toBe(false);
  });

  it("is answered in the background, too, without secrets", async () => {
    const mcp = await startMcpServer();
    const { client } = await start(mcp);
    const queued = await client.responses.create({ model, input, tools: [toolOf(mcp)], background: true });
    expect(queued.status).toBe("queued");
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("completed");
    const { output } = await client.responses.retrieve(queued.id);
    expect(output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "message"]);
  });

  it("counts the tools of its server as prompt tokens, without calling them", async () => {
    const mcp = await startMcpServer();
    const { client } = await start(mcp);
    const counted = await client.responses.inputTokens.count({ model, input, tools: [toolOf(mcp)] });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(mcp.methods).toEqual(["initialize", "tools/list"]);
  });
});
