/** Requests of the shape that Claude Code and its SDK send, over HTTP. */
import { describe, expect, it } from "vitest";
import { calling } from "../../../kit/scripted/calling.js";
import { startServer } from "../../../kit/server.js";
import { framesOf, send, toolNames } from "./requests.js";

const path = "/v1/messages?beta=true";
const schema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const request = {
  model: "ember-1m",
  max_tokens: 1000,
  stream: true,
  system: [{ type: "text", text: "Work in small steps.", cache_control: { type: "ephemeral" } }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Edit.", cache_control: { type: "ephemeral" } }] },
    { role: "system", content: [{ type: "text", text: "The folder is /work." }] },
  ],
  tools: [
    { name: "ToolSearch", description: "Finds tools.", input_schema: schema },
    { name: "Later", input_schema: schema, defer_loading: true },
  ],
  thinking: { type: "adaptive", display: "a later value" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
  metadata: { user_id: "someone" },
};

interface Frame {
  readonly type: string;
  readonly content_block?: object;
  readonly delta?: { readonly partial_json?: string };
}

describe("the first request of an agent", () => {
  it("is answered, with values of display fields that this server does not know", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const frames = await framesOf<Frame>(await send(app, path, request));
    expect(frames.at(-1)?.type).toBe("message_stop");
  });

  it("leaves out tools that are loaded later, until a result refers to them", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    await framesOf(await send(app, path, request));
    expect(toolNames(app)).toEqual(["ToolSearch"]);
    const found = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const messages = [
      ...request.messages.slice(0, 1),
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: { query: "later" } }],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [{ type: "tool_reference", tool_name: "Later" }],
          },
        ],
      },
    ];
    await framesOf(await send(found, path, { ...request, messages }));
    expect(toolNames(found)).toEqual(["ToolSearch", "Later"]);
    expect(found.prompts[0]).toContain("tool: The tool Later is available now.");
  });

  it("follows additions and removals of tools in the conversation", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const changes = {
      role: "system",
      content: [
        { type: "tool_addition", tool: { type: "tool_reference", name: "Later" } },
        {
          type: "tool_addition",
          tool: { type: "tool_definition", definition: { name: "New", input_schema: schema } },
        },
        { type: "tool_removal", tool: { type: "tool_reference", name: "ToolSearch" } },
      ],
    };
    await framesOf(await send(app, path, { ...request, messages: [...request.messages, changes] }));
    expect(toolNames(app)).toEqual(["Later", "New"]);
  });
});

describe("Anthropic's client tools", () => {
  const tools = [
    { type: "bash_20250124", name: "bash" },
    { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 1000 },
    { type: "memory_20250818", name: "memory" },
  ];

  it.each([
    ["bash", { command: "ls" }],
    ["str_replace_based_edit_tool", { command: "insert", path: "/a", insert_line: 0, insert_text: "x" }],
    ["memory", { command: "rename", old_path: "/memories/a", new_path: "/memories/b" }],
  ])("are functions with their published schemas: %s", async (name, input) => {
    const app = await startServer({ engine: () => calling(name, input), contextTokens: 4096 });
    const frames = await framesOf<Frame>(await send(app, path, { ...request, tools }));
    expect(toolNames(app)).toEqual(["bash", "str_replace_based_edit_tool", "memory"]);
    expect(frames.find((frame) => frame.content_block !== undefined)?.content_block).toMatchObject({
      type: "tool_use",
      name,
    });
    expect(JSON.parse(frames.map(({ delta }) => delta?.partial_json ?? "").join(""))).toEqual(input);
  });

  it("are not called with arguments that their schema forbids", async () => {
    const app = await startServer({
      engine: () => calling("memory", { command: "fly" }),
      contextTokens: 4096,
    });
    const response = await send(app, path, { ...request, stream: false, tools });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("arguments of 'memory'");
  });
});

describe("a prompt that is too long", () => {
  it("is refused with both numbers in the words that agents read", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const messages = [{ role: "user", content: "word ".repeat(5000) }];
    const response = await send(app, path, { ...request, messages });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    expect(error.message).toMatch(/^prompt is too long: 50\d\d tokens > 4095 maximum\. /);
  });
});

describe("tools of Anthropic's servers", () => {
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };

  it("are left out with a warning where the model need not call them", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const tools = [search, { type: "tool_search_tool_regex_20251119", name: "find" }, ...request.tools];
    const response = await send(app, path, { ...request, tools });
    await framesOf(response);
    expect(response.headers.get("x-hearth-warning")).toMatch(
      /tools\.0: .*'web_search_20250305'.*; tools\.1: /,
    );
    // Nothing here can find the deferred tool, so the model sees it at once.
    expect(toolNames(app)).toEqual(["ToolSearch", "Later"]);
  });

  it("may have been called earlier in the conversation", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const messages = [
      { role: "user", content: "Search." },
      {
        role: "assistant",
        content: [
          { type: "redacted_thinking", data: "opaque" },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { type: "text", text: "Found." },
        ],
      },
      {
        role: "user",
        content: [{ type: "search_result", source: "a", title: "T", content: [{ type: "text", text: "x" }] }],
      },
    ];
    await framesOf(await send(app, path, { ...request, messages, tools: [search] }));
    expect(app.prompts[0]).toContain("assistant: Found.");
    expect(app.prompts[0]).toContain("user: T\na\nx");
  });
});
