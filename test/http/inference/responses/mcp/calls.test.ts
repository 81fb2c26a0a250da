import type { ResponseInput, ResponseStreamEvent, Tool } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../../kit/scripted/engine.js";
import { startMcpServer, startRawMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { calling, input, lastLine, model, start, toolOf } from "./app.js";

describe("an MCP server in a response", () => {
  it("lists its tools, and is called by the model, to the official client", async () => {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp);
    const response = await client.responses.create({ model, input, tools: [toolOf(mcp)] });
    expect(response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "message"]);
    const [list, call] = response.output;
    if (list?.type !== "mcp_list_tools" || call?.type !== "mcp_call") throw new Error("other items");
    expect(list.tools.map(({ name }) => name)).toEqual(["add", "fail", "picture", "wait"]);
    expect(list.tools[0]).toMatchObject({
      description: "Adds two numbers.",
      input_schema: { type: "object" },
    });
    expect(call).toMatchObject({
      status: "completed",
      server_label: "math",
      name: "add",
      arguments: '{"a":2,"b":3}',
      output: "5",
      error: null,
      approval_request_id: null,
    });
    expect(response.output_text).toBe("The answer is tool: 5");
    expect(mcp.calls).toEqual([{ name: "add", arguments: { a: 2, b: 3 } }]);
    expect(mcp.methods).toEqual(["initialize", "tools/list", "tools/call"]);
    const [job] = server.engine.jobs;
    expect(job?.tools[0]).toMatchObject({ name: "math__add", description: "Adds two numbers." });
    expect(job?.rules.toolArguments).toHaveLength(4);
    const stored = await client.responses.retrieve(response.id);
    expect(stored.output).toEqual(response.output);
  });

  it("streams its events in order to the official client, whose response is that of JSON", async () => {
    const mcp = await startMcpServer();
    const { client } = await start(mcp);
    const events: ResponseStreamEvent[] = [];
    const stream = client.responses.stream({ model, input, tools: [toolOf(mcp)] });
    for await (const event of stream) events.push(event);
    const types = events.map(({ type }) => type);
    expect(types.slice(2, types.indexOf("response.content_part.added") - 1)).toEqual([
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
    ]);
    const final = await stream.finalResponse();
    const json = await client.responses.create({ model, input, tools: [toolOf(mcp)] });
    const content = ({ output }: { output: readonly object[] }) =>
      output.map((item) => ({ ...item, id: "", content: [] }));
    expect(content(final)).toEqual(content(json));
    const replayed: string[] = [];
    for await (const { type } of await client.responses.retrieve(final.id, { stream: true }))
      replayed.push(type);
    expect(replayed.filter((type) => type.includes("mcp"))).toEqual(
      types.filter((type) => type.includes("mcp")),
    );
  });

  it("gives the model what fails as the result of its call", async () => {
    const mcp = await startMcpServer();
    const fails: Script = (prompt) =>
      prompt.includes("tool: ") ? [lastLine(prompt)] : calling("math__fail", {});
    const { client } = await start(mcp, fails);
    const response = await client.responses.create({ model, input, tools: [toolOf(mcp)] });
    const call = response.output.find(({ type }) => type === "mcp_call");
    expect(call).toMatchObject({ status: "failed", output: null, error: "no luck" });
    expect(response.output_text).toBe("tool: Error: no luck");
  });

  it("describes images in results to the model, or mentions them", async () => {
    const mcp = await startMcpServer();
    const draws: Script = (prompt) =>
      prompt.includes("tool: ") ? [lastLine(prompt)] : calling("math__picture", {});
    const { client } = await start(mcp, draws);
    const response = await client.responses.create({ model, input, tools: [toolOf(mcp)] });
    expect(response.output.find(({ type }) => type === "mcp_call")).toMatchObject({
      output: "Here it is:\n[image]",
    });
    expect(response.output_text).toBe("[image that cannot be described]");
  });

  it("is not asked for its tools again in the conversation", async () => {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp);
    const tools = [toolOf(mcp)];
    const first = await client.responses.create({ model, input, tools });
    const next = await client.responses.create({
      model,
      input: "Thanks",
      tools,
      previous_response_id: first.id,
    });
    expect(next.output.map(({ type }) => type)).toEqual(["message"]);
    expect(mcp.methods.filter((method) => method === "tools/list")).toHaveLength(1);
    const history = server.engine.jobs.at(-1);
    expect(history?.tools.map(({ name }) => name)).toContain("math__add");
    const replayed = await client.responses.create({
      model,
      input: [
        { role: "user", content: input },
        ...(first.output as ResponseInput),
        { role: "user", content: "Thanks" },
      ],
      tools,
    });
    expect(replayed.output_text).toBe("The answer is user: Thanks");
    expect(mcp.methods.filter((method) => method === "tools/list")).toHaveLength(1);
  });

  it("offers only the tools that the request allows", async () => {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp, () => ["Hi"]);
    const offered = async (allowed: Tool.Mcp["allowed_tools"]) => {
      await client.responses.create({
        model,
        input,
        tools: [toolOf(mcp, { allowed_tools: allowed ?? null })],
      });
      return server.engine.jobs.at(-1)?.tools.map(({ name }) => name);
    };
    expect(await offered(["fail"])).toEqual(["math__fail"]);
    expect(await offered({ read_only: true })).toEqual(["math__add"]);
    expect(await offered({ tool_names: ["wait", "add"], read_only: false })).toEqual(["math__wait"]);
  });

  it("is called when the tool choice names its tool", async () => {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp);
    const tool_choice = { type: "mcp", server_label: "math", name: "add" } as const;
    await client.responses.create({ model, input, tools: [toolOf(mcp)], tool_choice });
    expect(server.engine.jobs[0]?.toolChoice).toMatchObject({ mode: "required", names: ["math__add"] });
    const unknown = { ...tool_choice, name: "sub" };
    await expect(
      client.responses.create({ model, input, tools: [toolOf(mcp)], tool_choice: unknown }),
    ).rejects.toMatchObject({ status: 400, param: "tool_choice" });
  });

  it("D8: has tools beside functions of the same name, and of names that models cannot write", async () => {
    const mcp = await startRawMcpServer(() => ({
      tools: ["add", 'a"b</tool_call>\n', "ä".repeat(200)].map((name) => ({
        name,
        inputSchema: { type: "object" },
      })),
    }));
    const { server, client } = await start(mcp, () => ["Hi"]);
    const own = { type: "function", name: "math__add", parameters: {}, strict: false } as const;
    await client.responses.create({ model, input, tools: [own, toolOf(mcp)] });
    const names = server.engine.jobs[0]?.tools.map(({ name }) => name) ?? [];
    expect(names.slice(0, 2)).toEqual(["math__add", "math__add_2"]);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(4);
  });
});
