import { describe, expect, it } from "vitest";
import { keys } from "../../../../kit/server/six-keys.js";
import { until } from "../../../../kit/until.js";
import { authorization, startLedgerServer } from "../../../../kit/ledger.js";
import { startMcpServer, startRawMcpServer, type TestMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { startServer } from "../../../../kit/server.js";
import { createLimitedTeam } from "../../../../kit/server/limited.js";
import { createResponsesClient } from "../../../../kit/clients/responses.js";
import { adds, input, start, toolOf } from "./app.js";

/** A call that was allowed, as a client has it that stores the conversation itself. */
const allowed = [
  { role: "user", content: input },
  {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "math",
    name: "add",
    arguments: '{"a":2,"b":3}',
  },
  { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
];

/** Requests that would list tools, execute a call, or both. */
const requestsOf = (mcp: TestMcpServer, model: string) => {
  const tools = [toolOf(mcp)];
  return [
    ["/v1/responses", { model, input: allowed, tools }],
    ["/v1/responses", { model, input, tools, stream: true }],
    [
      "/v1/messages",
      {
        model,
        max_tokens: 9,
        messages: [{ role: "user", content: input }],
        mcp_servers: [{ type: "url", name: "math", url: mcp.url }],
      },
    ],
  ] as const;
};

describe("an MCP server is not connected to for a request that is refused", () => {
  it("by a limit", async () => {
    const mcp = await startMcpServer();
    const server = await createLimitedTeam(
      await startServer({ accounts: "managed", engine: adds, environment: { HEARTH_MCP_HOSTS: mcp.host } }),
    );
    for (const [path, body] of [
      ...requestsOf(mcp, "hearth-tiny-5m"),
      ["/v1/responses/input_tokens", { model: "hearth-tiny-5m", input, tools: [toolOf(mcp)] }] as const,
    ]) {
      const key = await server.newKey({ tpm: 1 });
      expect((await server.post(path, body, key.apiKey)).status).toBe(429);
    }
    expect(mcp.requests).toEqual([]);
  });

  it("for lack of credit", async () => {
    const mcp = await startMcpServer();
    const server = await startLedgerServer("prepaid", adds, {
      environment: { HEARTH_MCP_HOSTS: mcp.host },
    });
    for (const [path, body] of requestsOf(mcp, "hearth-tiny-5m")) {
      const init = { method: "POST", headers: authorization, body: JSON.stringify(body) };
      expect([402, 403]).toContain((await fetch(server.url + path, init)).status);
    }
    expect(mcp.requests).toEqual([]);
  });

  it("because the key may not use the model, or as many runs are active as may be", async () => {
    const mcp = await startMcpServer();
    const { server } = await start(mcp, adds, { runsActiveMax: 0 });
    const send = (key: string, [path, body]: readonly [string, object]) =>
      fetch(server.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const request of requestsOf(mcp, "ember-1m")) {
      expect((await send(keys.bob, request)).status).toBe(403);
      expect([503, 529]).toContain((await send(keys.ada, request)).status);
    }
    expect(mcp.requests).toEqual([]);
  });
});

describe("a background response that waits for the list of an MCP server", () => {
  async function waiting() {
    const silent = await startRawMcpServer(() => undefined);
    const { server } = await start(silent, adds);
    const client = createResponsesClient(server.url);
    const queued = await client.create({ input, tools: [toolOf(silent)], background: true });
    await until(() => silent.methods.includes("tools/list"));
    const closed = new Promise((resolve) => silent.requests.at(-1)?.socket.once("close", resolve));
    return { server, client, queued, closed };
  }

  it("is cancelled at once, and leaves the server", async () => {
    const { server, client, queued, closed } = await waiting();
    const { status, body } = await client.send("POST", `/${queued.id}/cancel`);
    expect([status, body]).toMatchObject([200, { status: "cancelled", error: null, output: [] }]);
    await closed;
    expect(await server.records()).toEqual([]);
  });

  it("does not keep this server from closing, and stays in the queue", async () => {
    const { server, closed } = await waiting();
    await server.close();
    await closed;
    expect(await server.records()).toEqual([]);
  });
});
