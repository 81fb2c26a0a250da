import type {
  BetaMessage,
  BetaMessageParam,
  BetaRawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../../kit/scripted/engine.js";
import { startMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { weather } from "../../../anthropic.js";
import { calling, lastLine, start } from "../../responses/mcp/app.js";
import { newer, older, question, serverOf, textOf, toolsetOf } from "./requests.js";

const ran = [
  { type: "mcp_tool_use", id: "mcptoolu_math__add", name: "add", server_name: "math", input: { a: 2, b: 3 } },
  {
    type: "mcp_tool_result",
    tool_use_id: "mcptoolu_math__add",
    is_error: false,
    content: [{ type: "text", text: "5" }],
  },
  { type: "text", text: "The answer is tool: 5" },
];

const promptTokens = ({ usage }: BetaMessage) => usage.input_tokens + (usage.cache_read_input_tokens ?? 0);

describe("an MCP server in a message", () => {
  it("lists its tools, and is called by the model, in both versions of the API and without a beta", async () => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp);
    const mcp_servers = [serverOf(mcp)];
    const answers = [
      await client.beta.messages.create({ ...question, mcp_servers, betas: older }),
      await client.beta.messages.create({ ...question, mcp_servers, tools: [toolsetOf()], betas: newer }),
      await client.beta.messages.create({ ...question, mcp_servers }),
    ];
    for (const answer of answers) {
      const content = answer.content.filter(({ type }) => type !== "mcp_tool_listing");
      expect([content, answer.stop_reason]).toMatchObject([ran, "end_turn"]);
    }
    expect(mcp.calls[0]).toEqual({ name: "add", arguments: { a: 2, b: 3 } });
    expect(mcp.methods.slice(0, 3)).toEqual(["initialize", "tools/list", "tools/call"]);
    const [job] = server.engine.jobs;
    expect(job?.tools[0]).toMatchObject({ name: "math__add", description: "Adds two numbers." });
    expect(job?.rules.toolArguments).toHaveLength(4);
    expect(await server.records()).toHaveLength(3);
  });

  it("streams one message whose blocks are those of JSON, with the usage of all turns", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp);
    const request = { ...question, mcp_servers: [serverOf(mcp)], betas: older };
    const events: BetaRawMessageStreamEvent[] = [];
    const stream = client.beta.messages.stream(request);
    // The client adds later events to the message of the first one.
    for await (const event of stream) events.push(structuredClone(event));
    const types = events.map(({ type }) => type).filter((type) => type !== "content_block_delta");
    const block = ["content_block_start", "content_block_stop"];
    expect(types).toEqual(["message_start", ...block, ...block, ...block, "message_delta", "message_stop"]);
    const deltas = events.filter((event) => event.type === "content_block_delta" && event.index === 0);
    expect(deltas).toMatchObject([{ delta: { type: "input_json_delta", partial_json: '{"a":2,"b":3}' } }]);
    expect(events.filter((event) => "index" in event && event.index === 1)).toEqual([
      { type: "content_block_start", index: 1, content_block: ran[1] },
      { type: "content_block_stop", index: 1 },
    ]);
    const final = await stream.finalMessage();
    const json = await client.beta.messages.create(request);
    expect(final.content).toMatchObject(ran);
    expect(json.content).toEqual(ran);
    expect(json.usage.output_tokens).toBe(final.usage.output_tokens);
    const [first] = events;
    if (first?.type !== "message_start") throw new Error("another event");
    expect(promptTokens(json)).toBeGreaterThan(promptTokens(first.message));
    expect(promptTokens(json)).toBe(promptTokens(final));
  });

  it("gives the model what fails as the result of its call", async () => {
    const mcp = await startMcpServer();
    const fails: Script = (prompt) =>
      prompt.includes("tool: ") ? [lastLine(prompt)] : calling("math__fail", {});
    const { anthropic: client } = await start(mcp, fails);
    const answer = await client.beta.messages.create({ ...question, mcp_servers: [serverOf(mcp)] });
    expect(answer.content[1]).toMatchObject({ is_error: true, content: [{ type: "text", text: "no luck" }] });
    expect(textOf(answer)).toBe("tool: Error: no luck");
  });

  it("offers only the tools that the request enables, in both versions", async () => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp, () => ["Fine."]);
    const configured = (tool_configuration: object) =>
      client.beta.messages.create({ ...question, mcp_servers: [serverOf(mcp, { tool_configuration })] });
    const withToolset = (changes: object) =>
      client.beta.messages.create({
        ...question,
        mcp_servers: [serverOf(mcp)],
        tools: [toolsetOf(changes)],
        betas: newer,
      });
    await configured({ allowed_tools: ["add", "other"] });
    await configured({ enabled: false });
    await withToolset({ default_config: { enabled: false }, configs: { add: { enabled: true } } });
    await withToolset({ configs: { add: { enabled: false }, constructor: { enabled: false } } });
    const offered = server.engine.jobs.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([
      ["math__add"],
      [],
      ["math__add"],
      ["math__fail", "math__picture", "math__wait"],
    ]);
    expect(mcp.methods.filter((method) => method === "tools/list")).toHaveLength(3);
  });

  it("is listed in the answer to a toolset, and not asked again where the conversation has the list", async () => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp);
    const request = { mcp_servers: [serverOf(mcp)], tools: [toolsetOf()], betas: newer };
    const stream = client.beta.messages.stream({ ...question, ...request });
    const first = await stream.finalMessage();
    const [list, ...others] = first.content;
    if (list?.type !== "mcp_tool_listing") throw new Error("no list");
    expect(list.mcp_server_name).toBe("math");
    expect(list.tools.map(({ name }) => name)).toEqual(["add", "fail", "picture", "wait"]);
    expect(list.tools[0]).toMatchObject({
      description: "Adds two numbers.",
      input_schema: { type: "object" },
    });
    expect(others).toMatchObject(ran);
    const messages: BetaMessageParam[] = [
      ...question.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: "Again" },
    ];
    const second = await client.beta.messages.create({ ...question, ...request, messages });
    expect(second.content.map(({ type }) => type)).not.toContain("mcp_tool_listing");
    expect(mcp.methods.filter((method) => method === "tools/list")).toHaveLength(1);
    expect(server.engine.jobs.at(-1)?.tools.map(({ name }) => name)).toContain("math__add");
  });

  it("is not asked for tools that the toolset has, and deferred loading is ignored with a warning", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp);
    const input_schema = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } };
    const toolset = toolsetOf({
      tools: [{ name: "add", input_schema }],
      default_config: { defer_loading: true },
    });
    const { data, response } = await client.beta.messages
      .create({ ...question, mcp_servers: [serverOf(mcp)], tools: [toolset], betas: newer })
      .withResponse();
    expect(data.content).toEqual(ran);
    expect(mcp.methods).toEqual(["initialize", "tools/call"]);
    expect(response.headers.get("x-hearth-warning")).toMatch(/^tools\.0: defer_loading has no effect/);
  });

  it("continues a conversation with its calls and results", async () => {
    const mcp = await startMcpServer();
    const prompts: string[] = [];
    const { anthropic: client } = await start(mcp, (prompt) => {
      prompts.push(prompt);
      return prompt.includes("tool: ") ? ["Done."] : calling("math__add", { a: 2, b: 3 });
    });
    const request = { ...question, mcp_servers: [serverOf(mcp)], betas: older };
    const first = await client.beta.messages.create(request);
    const spoken: BetaMessageParam[] = [
      ...question.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: "And now?" },
    ];
    const second = await client.beta.messages.create({ ...request, messages: spoken });
    expect(textOf(second)).toBe("Done.");
    const paused: BetaMessageParam[] = [
      ...question.messages,
      { role: "assistant", content: first.content.slice(0, 2) },
    ];
    await client.beta.messages.create({ ...request, messages: paused });
    const [, afterCall, later, resumed] = prompts;
    expect(later?.startsWith((afterCall ?? "").trim().split("\n").slice(0, -1).join("\n"))).toBe(true);
    expect(later).toContain("Done.");
    expect(resumed).toBe(afterCall);
    expect(mcp.calls).toHaveLength(1);
  });

  it("ends with a call of the client's tool, and the results of its own", async () => {
    const mcp = await startMcpServer();
    const both: Script = () => [
      ...calling("math__add", { a: 2, b: 3 }).slice(0, -1),
      { type: "tool-call-start", choice: 0, index: 1, id: "call_w", name: weather.name, tokens: 2 },
      { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"city":"Bern"}', tokens: 3 },
      { type: "tool-call-end", choice: 0, index: 1, tokens: 1 },
      { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
    ];
    const { anthropic: client } = await start(mcp, both);
    const answer = await client.beta.messages.create({
      ...question,
      mcp_servers: [serverOf(mcp)],
      tools: [weather],
    });
    expect(answer.stop_reason).toBe("tool_use");
    expect(answer.content).toMatchObject([ran[0], { type: "tool_use", name: "get_weather" }, ran[1]]);
  });

  it("is named by a tool choice, also where a function has the name of its tool", async () => {
    const mcp = await startMcpServer();
    const { server, anthropic: client } = await start(mcp, () => ["Fine."]);
    const chosen = (name: string, tools: object[] = []) =>
      client.beta.messages.create({
        ...question,
        mcp_servers: [serverOf(mcp)],
        tools: [...tools, toolsetOf()] as never,
        tool_choice: { type: "tool", name },
      });
    const twin = { ...weather, name: "math__add" };
    for (const name of ["math__add", "math_add", "add"]) await chosen(name);
    await chosen("add", [twin]);
    expect(server.engine.jobs.map(({ toolChoice }) => toolChoice.names)).toEqual([
      ["math__add"],
      ["math__add"],
      ["math__add"],
      ["math__add_2"],
    ]);
    await expect(chosen("subtract")).rejects.toThrow(/tool_choice\.name: 'subtract' is not among the tools/);
  });

  it("pauses the turn where the limit of turns ends it", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp, () => calling("math__add", { a: 2, b: 3 }));
    const answer = await client.beta.messages.create({ ...question, mcp_servers: [serverOf(mcp)] });
    expect(answer.stop_reason).toBe("pause_turn");
    expect(mcp.calls).toHaveLength(15);
    expect(answer.content.at(-1)).toMatchObject({ type: "mcp_tool_result", is_error: true });
  });

  it("counts the tools of its server as prompt tokens, without calling them", async () => {
    const mcp = await startMcpServer();
    const { anthropic: client } = await start(mcp);
    const { max_tokens: _, ...request } = question;
    const count = async (more: object) =>
      (await client.beta.messages.countTokens({ ...request, ...more })).input_tokens;
    expect(await count({ mcp_servers: [serverOf(mcp)] })).toBeGreaterThan(0);
    expect(mcp.methods).toEqual(["initialize", "tools/list"]);
  });
});
