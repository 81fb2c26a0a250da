import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  BetaMCPToolset as ToolsetBody,
  BetaRequestMCPServerURLDefinition as ServerBody,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { describe, expect, it } from "vitest";
import { startMcpServer, startRawMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { postMessage } from "../../../anthropic.js";
import { adds, secret, start } from "../../responses/mcp/app.js";
import { newer, question, serverOf, toolsetOf } from "./requests.js";

/** The beginning of an error's message, which the client repeats after the status. */
const naming = (param: string, text: string) => new RegExp(`"message":"${param}: .*${text}`);

describe("a message that names an MCP server", () => {
  it.each([
    ["no server is allowed", { mcpHosts: [] }, {}, "mcp_servers.0.url", "setting mcpHosts"],
    ["it is another host", { mcpHosts: ["tools.example"] }, {}, "mcp_servers.0.url", "setting mcpHosts"],
    ["its URL is none", {}, { url: "math" }, "mcp_servers.0.url", "must be an http or https URL"],
    ["its type is unknown", {}, { type: "stdio" }, "mcp_servers.0.type", "must be one of url"],
    ["its name has a line break", {}, { name: "a\nb" }, "mcp_servers.0.name", "without control characters"],
    [
      "its token has two lines",
      {},
      { authorization_token: "a\r\nb: c" },
      "mcp_servers.0.authorization_token",
      "must be one line",
    ],
  ])("is refused when %s", async (_case, config, changes, param, text) => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp, adds, config);
    const refused = client.beta.messages.create({
      ...question,
      mcp_servers: [{ ...serverOf(mcp), ...changes } as ServerBody],
    });
    await expect(refused).rejects.toThrow(naming(param, text));
    expect(mcp.requests).toEqual([]);
    expect(await server.records()).toEqual([]);
  });

  it.each([
    ["a server without a toolset", [], {}, "mcp_servers.0.name", "is not named by a tool"],
    ["a toolset without a server", [{ mcp_server_name: "b" }], {}, "tools.0.mcp_server_name", "not the name"],
    ["a toolset without a name", [{ mcp_server_name: null }], {}, "tools.0.mcp_server_name", "is required"],
    ["two toolsets of a server", [{}, {}], {}, "tools.1.mcp_server_name", "already named"],
    [
      "both kinds of settings",
      [{}],
      { tool_configuration: { enabled: true } },
      "mcp_servers.0.tool_configuration",
      "cannot be used together",
    ],
  ])("is refused with %s", async (_case, toolsets, changes, param, text) => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp);
    const refused = client.beta.messages.create({
      ...question,
      mcp_servers: [serverOf(mcp, changes)],
      tools: toolsets.map((each) => ({ ...toolsetOf(), ...each }) as ToolsetBody),
      betas: newer,
    });
    await expect(refused).rejects.toThrow(naming(param, text));
    expect(mcp.requests).toEqual([]);
  });

  it("is refused with more servers than the setting allows, or two of one name", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp, adds, { mcpServersMax: 1 });
    const two = (name: string) =>
      client.beta.messages.create({ ...question, mcp_servers: [serverOf(mcp), serverOf(mcp, { name })] });
    await expect(two("other")).rejects.toThrow(/setting mcpServersMax/);
    await expect(two("math")).rejects.toThrow(naming("mcp_servers.1.name", "already the name"));
  });

  it("fails with 400 and starts no run when the server does not list its tools", async () => {
    const mcp = await startRawMcpServer((_method, response) => {
      response.writeHead(503).end("away");
    });
    const { server, anthropic: client } = await start(mcp);
    const { max_tokens: _, ...counted } = question;
    const mcp_servers = [serverOf(mcp)];
    for (const refused of [
      client.beta.messages.create({ ...question, mcp_servers }),
      client.beta.messages.create({ ...question, mcp_servers, stream: true }),
      client.beta.messages.countTokens({ ...counted, mcp_servers }),
    ])
      await expect(refused).rejects.toMatchObject({
        status: 400,
        type: "invalid_request_error",
        message: expect.stringContaining("cannot be listed: it answers with the status 503") as string,
      });
    expect(await server.records()).toEqual([]);
  });

  it("fails with 400 when the server lists a tool whose schema is none of an object", async () => {
    const mcp = await startRawMcpServer(() => ({
      tools: [{ name: "add", inputSchema: { type: "array" } }],
    }));
    const { anthropic: client } = await start(mcp);
    const refused = client.beta.messages.create({ ...question, mcp_servers: [serverOf(mcp)] });
    await expect(refused).rejects.toThrow(naming("mcp_servers.0", "must be the schema of an object"));
  });

  it("E10: never has its token stored, logged or repeated", async () => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp);
    const mcp_servers = [serverOf(mcp, { authorization_token: secret, url: `${mcp.url}?key=${secret}` })];
    const events: unknown[] = [];
    for await (const event of await client.beta.messages.create({ ...question, mcp_servers, stream: true }))
      events.push(event);
    const answer = await client.beta.messages.create({ ...question, mcp_servers });
    expect(mcp.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    expect(JSON.stringify([events, answer, server.logs])).not.toContain(secret);
    await server.close();
    for (const file of readdirSync(server.data, { recursive: true, withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(secret)).toBe(false);
  });

  it("never has its fields taken for the schema of a tool where it has a long number", async () => {
    const mcp = await startMcpServer();
    const { server } = await start(mcp);
    const body = {
      ...question,
      mcp_servers: [{ ...serverOf(mcp, { authorization_token: secret }), priority: 0 }],
    };
    const answered = await postMessage(
      server,
      JSON.stringify(body).replace('"priority":0', '"priority":12345678901234567890'),
    );
    expect(answered.status).toBe(200);
    const [job] = server.engine.jobs;
    expect(job?.tools).toHaveLength(4);
    expect(JSON.stringify(job?.tools)).not.toContain(secret);
  });

  it("is refused in a batch, by the name of the field, before anything is stored", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp);
    const batch = client.beta.messages.batches.create({
      requests: [{ custom_id: "a", params: { ...question, mcp_servers: [serverOf(mcp)] } }],
    });
    await expect(batch).rejects.toThrow(
      naming("requests.0.params.mcp_servers", "MCP servers are not supported in batches"),
    );
  });
});
