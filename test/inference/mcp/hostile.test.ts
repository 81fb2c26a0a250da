import { describe, expect, it } from "vitest";
import {
  startMcpServer,
  startOlderMcpServer,
  startRawMcpServer,
  text,
} from "../../kit/doubles/mcp-server.js";
import { limits, problem, secret, sessionOf, sessionWith, signal } from "./open-session.js";

describe("an MCP server that does not keep the rules", () => {
  const listing = (tools: unknown) => startRawMcpServer(() => ({ tools }));
  const tool = (changes: object = {}) => ({ name: "one", inputSchema: { type: "object" }, ...changes });
  const nested = (depth: number): unknown => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } });

  it.each([
    [
      "lists too many tools",
      Array.from({ length: 10_000 }, (_, at) => tool({ name: `t${at}` })),
      /lists more than 100 tools/,
    ],
    ["lists a tool without a schema", [{ name: "one" }], /lists a tool "one" that is not one/],
    ["lists something else", [7], /lists a tool that is not one/],
    ["lists no list", "all", /does not answer as the protocol specifies/],
    [
      "lists a schema that is too deep",
      [tool({ inputSchema: nested(1_000) })],
      /nested deeper than 64 levels/,
    ],
    [
      "lists a schema that is too long",
      [tool({ inputSchema: { type: "object", description: "x".repeat(70_000) } })],
      /longer than 65536 characters/,
    ],
    ["lists a long name", [tool({ name: "n".repeat(1_000) })], /that is not one, or is too large/],
    [
      "has a long description",
      [tool({ description: "d".repeat(20_000) })],
      /that is not one, or is too large/,
    ],
  ])("is refused when it %s", async (_case, tools, message) => {
    expect(await problem(sessionOf(await listing(tools)).session)).toMatch(message);
  });

  it("is refused when its list has no end", async () => {
    const server = await startRawMcpServer(() => ({ tools: [], nextCursor: "more" }));
    expect(await problem(sessionOf(server).session)).toMatch(/lists its tools on more than 100 pages/);
  });

  it("A5: is read no further than the limit of bytes", async () => {
    const huge = await startMcpServer((server) => {
      server.registerTool("huge", {}, () => text("x".repeat(20_000)));
    });
    const { session } = sessionOf(huge);
    expect(await session.call("huge", "{}", signal)).toEqual({
      failed: true,
      text: 'The MCP server "tools" answers with more than 10000 bytes.',
      images: [],
    });
    const endless = await startRawMcpServer((_method, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const more = (): void => void response.write(`: ${"x".repeat(100_000)}\n`, more);
      more();
    });
    expect(await problem(sessionOf(endless).session)).toMatch(/answers with more than 4194304 bytes/);
  });

  it.each([
    ["streamable HTTP", startMcpServer],
    ["the older transport", startOlderMcpServer],
  ])(
    "A5: may answer with as many bytes to each of several calls at a time, over %s",
    async (_name, start) => {
      const sized = await start((server) => {
        for (const size of [6_000, 20_000]) server.registerTool(`t${size}`, {}, () => text("x".repeat(size)));
      });
      const { session } = sessionOf(sized);
      const lengths = async (...names: string[]) =>
        (await Promise.all(names.map((name) => session.call(name, "{}", signal)))).map((result) =>
          result.failed ? result.text : result.text.length,
        );
      const tooLarge = 'The MCP server "tools" answers with more than 10000 bytes.';
      expect(await lengths("t6000", "t6000", "t6000")).toEqual([6_000, 6_000, 6_000]);
      expect(await lengths("t6000", "t20000")).toEqual([6_000, tooLarge]);
      session.close();
    },
  );

  it("is not waited for longer than the limit of time", async () => {
    const server = await startMcpServer();
    const { session, clock } = sessionOf(server);
    await session.list(signal);
    const waiting = session.call("wait", "{}", signal);
    await clock.whenWaiting(limits.timeoutMs);
    clock.advance(limits.timeoutMs);
    expect(await waiting).toEqual({
      failed: true,
      text: 'The MCP server "tools" did not answer within 5000 ms.',
      images: [],
    });
    session.close();
  });

  it("is left when the client leaves", async () => {
    const { session } = sessionOf(await startMcpServer());
    const leaving = new AbortController();
    const waiting = session.call("wait", "{}", leaving.signal);
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    session.close();
  });

  it("is reported with the status that it answers with", async () => {
    const server = await startRawMcpServer((_method, response) => {
      response.writeHead(500).end("boom");
    });
    expect(await problem(sessionOf(server).session)).toMatch(/answers with the status 500\.$/);
  });

  it.each([404, 500, 307, -32_602, 7])(
    "is reported with the JSON-RPC error %d, which is no status",
    async (code) => {
      const server = await startRawMcpServer((_method, response, id) => {
        const error = { code, message: "gone" };
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error }));
      });
      expect(await problem(sessionOf(server).session)).toContain(
        `it reports the error ${code}: "MCP error ${code}: gone".`,
      );
    },
  );

  it("is reported when its JSON cannot be read", async () => {
    const server = await startRawMcpServer((_method, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":');
    });
    expect(await problem(sessionOf(server).session)).toMatch(/does not answer as the protocol specifies/);
  });

  it("is reported when nothing listens", async () => {
    const { session } = sessionWith("http://127.0.0.1:9/mcp", { hosts: ["127.0.0.1:9"] });
    expect(await problem(session)).toMatch(/could not be reached at an allowed address/);
  });

  it("E10: puts no secret of the request into results, errors and the log", async () => {
    const echoing = await startMcpServer((server) => {
      server.registerTool("echo", {}, () => text(`you sent ${secret}`));
      server.registerTool("throw", {}, () => {
        throw new Error(`no access for ${secret}`);
      });
    });
    const { session, logs } = sessionOf(echoing, { authorization: `Bearer ${secret}` });
    const results = [await session.call("echo", "{}", signal), await session.call("throw", "{}", signal)];
    expect(JSON.stringify([results, logs])).not.toContain(secret);
    expect(results[0]?.text).toBe("you sent [masked]");
    const refusing = await startRawMcpServer((_method, response) => {
      response.writeHead(403).end(`no access for ${secret}`);
    });
    const refused = sessionOf(refusing, { authorization: secret });
    expect(await problem(refused.session)).toMatch(/answers with the status 403/);
    expect(refused.logs.join()).not.toContain(secret);
  });

  it("E10: puts no secret of the request into the list of its tools, or a reason why it has none", async () => {
    const inputSchema = {
      type: "object",
      properties: { [secret]: { enum: [`a ${secret}`], description: secret } },
    };
    const annotations = { title: `for ${secret}` };
    const echoing = await listing([tool({ description: `for ${secret}`, inputSchema, annotations })]);
    const url = `${echoing.url}?api_key=${secret}`;
    const listed = await sessionWith(url, { hosts: [echoing.host] }).session.list(signal);
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed).toEqual([
      {
        name: "one",
        description: "for [masked]",
        inputSchema: {
          type: "object",
          properties: { "[masked]": { enum: ["a [masked]"], description: "[masked]" } },
        },
        annotations: { title: "for [masked]" },
      },
    ]);
    const bearer = { authorization: `Bearer ${secret}` };
    const named = await listing([tool({ name: secret })]);
    expect(await problem(sessionOf(named, bearer).session)).toMatch(/a tool whose name repeats a secret/);
    // A text is cut after 200 characters: in the middle of the secret.
    const failing = await startRawMcpServer((_method, response, id) => {
      const error = { code: -32_000, message: `${"x".repeat(170)}${secret}` };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    });
    const reason = await problem(sessionOf(failing, bearer).session);
    expect(reason).toContain("[masked]");
    expect(reason).not.toContain(secret.slice(0, 8));
  });
});
