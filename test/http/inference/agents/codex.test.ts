/** Requests of the shape that Codex sends, over HTTP: its tools, its history, and the items that it expects. */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { keys } from "../../../kit/server/six-keys.js";
import { calling } from "../../../kit/scripted/calling.js";
import { startServer } from "../../../kit/server.js";
import { framesOf, send, toolNames } from "./requests.js";

const patchGrammar = [
  "start: begin hunk+ end",
  'begin: "*** Begin" LF',
  'end: "*** End" LF?',
  'hunk: ("+" | "-" | " ") /(.*)/ LF',
  "",
  "%import common.LF",
].join("\n");
const patch = '*** Begin\n-old\n+new \u{1f600} "quoted"\n*** End';

const firstRequest = {
  model: "ember-1m",
  input: [
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Work in small steps." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Edit the file." }] },
  ],
  tools: [
    {
      type: "function",
      name: "exec_command",
      strict: false,
      parameters: {
        type: "object",
        properties: { cmd: { type: "string" } },
        required: ["cmd"],
        additionalProperties: false,
      },
    },
    {
      type: "custom",
      name: "apply_patch",
      description: "Edits files.",
      format: { type: "grammar", syntax: "lark", definition: patchGrammar },
    },
    {
      type: "namespace",
      name: "agents",
      description: "Other agents.",
      tools: [
        {
          type: "function",
          name: "close",
          strict: false,
          parameters: { type: "object", properties: { target: { type: "string" } }, required: ["target"] },
        },
      ],
    },
    {
      type: "tool_search",
      execution: "client",
      description: "Finds tools.",
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    },
    { type: "web_search", external_web_access: false },
  ],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "medium", summary: "a later value" },
  text: { verbosity: "low" },
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "a-session",
  client_metadata: { session_id: "a-session" },
};

interface Frame {
  readonly type: string;
  readonly delta?: string;
  readonly input?: string;
  readonly item?: Readonly<Record<string, unknown>>;
}

async function callOf(name: string, args: object, body: object = firstRequest) {
  const app = await startServer({ engine: () => calling(name, args), contextTokens: 4096 });
  const frames = await framesOf<Frame>(await send(app, "/v1/responses", body));
  const done = frames.find(({ type }) => type === "response.output_item.done");
  return { app, frames, item: done?.item };
}

describe("the first request of an agent with all kinds of client tools", () => {
  it("is answered, with a warning that names the hosted tool", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const response = await send(app, "/v1/responses", firstRequest);
    const frames = await framesOf<Frame>(response);
    expect(frames.at(-1)?.type).toBe("response.completed");
    expect(response.headers.get("x-hearth-warning")).toMatch(/^tools\.4: tools of the type 'web_search'/);
    expect(toolNames(app)).toEqual(["exec_command", "apply_patch", "agents__close", "tool_search"]);
  });

  it("passes the input of a custom tool on as text, in events and in the item", async () => {
    const { frames, item } = await callOf("apply_patch", { input: patch });
    expect(item).toMatchObject({
      type: "custom_tool_call",
      name: "apply_patch",
      call_id: "call_1",
      input: patch,
    });
    const deltas = frames.filter(({ type }) => type === "response.custom_tool_call_input.delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(patch);
    expect(deltas.length).toBeGreaterThan(10);
    expect(frames.find(({ type }) => type === "response.custom_tool_call_input.done")?.input).toBe(patch);
  });

  it("passes an empty input on with one delta, as it does empty arguments", async () => {
    const { frames, item } = await callOf("apply_patch", { input: "" });
    expect(item).toMatchObject({ type: "custom_tool_call", input: "" });
    const deltas = frames.filter(({ type }) => type === "response.custom_tool_call_input.delta");
    expect(deltas.map(({ delta }) => delta)).toEqual([""]);
  });

  it("constrains the input by its grammar, which is regular", async () => {
    const { app } = await callOf("apply_patch", { input: patch });
    const [job] = app.engine.jobs;
    expect([...(job?.rules.rules.values() ?? [])].join("\n")).toContain("*** Begin");
    expect(job?.tools[1]?.parameters).toMatchObject({ required: ["input"] });
  });

  it("accepts a grammar that is not regular as text, with a warning", async () => {
    const definition = 'start: "(" start ")" | "x"';
    const tools = [{ type: "custom", name: "nest", format: { type: "grammar", syntax: "lark", definition } }];
    const app = await startServer({ engine: () => calling("nest", { input: "((x))" }), contextTokens: 4096 });
    const response = await send(app, "/v1/responses", { ...firstRequest, tools });
    expect(response.headers.get("x-hearth-warning")).toBe("the grammar of the tool 'nest' is not enforced");
  });

  it("accepts a regular expression that no grammar can express as text, with a warning", async () => {
    const tools = [
      { type: "custom", name: "echo", format: { type: "grammar", syntax: "regex", definition: "(a|b)\\1" } },
    ];
    const app = await startServer({ engine: () => calling("echo", { input: "aa" }), contextTokens: 4096 });
    const response = await send(app, "/v1/responses", { ...firstRequest, tools });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-hearth-warning")).toBe("the grammar of the tool 'echo' is not enforced");
  });

  it("gets calls of a namespace's tools with the namespace", async () => {
    const { item } = await callOf("agents__close", { target: "a" });
    expect(item).toMatchObject({ type: "function_call", name: "close", namespace: "agents" });
  });

  it("gets a search for tools as an item of its own", async () => {
    const { item } = await callOf("tool_search", { query: "calendar" });
    expect(item).toMatchObject({
      type: "tool_search_call",
      execution: "client",
      arguments: { query: "calendar" },
    });
  });
});

describe("typed client tools", () => {
  const tools = [{ type: "local_shell" }, { type: "shell" }, { type: "apply_patch" }];

  it.each([
    [
      "local_shell",
      { command: ["ls", "-l"], timeout_ms: 1000 },
      {
        type: "local_shell_call",
        action: { type: "exec", command: ["ls", "-l"], timeout_ms: 1000, env: {} },
      },
    ],
    [
      "shell",
      { commands: ["ls"] },
      { type: "shell_call", action: { commands: ["ls"], timeout_ms: null, max_output_length: null } },
    ],
    [
      "apply_patch",
      { type: "create_file", path: "a.txt", diff: "+a" },
      { type: "apply_patch_call", operation: { type: "create_file", path: "a.txt", diff: "+a" } },
    ],
  ])("get a call of %s with the fields of its type", async (name, args, expected) => {
    const { item } = await callOf(name, args, { ...firstRequest, tools });
    expect(item).toMatchObject({ ...expected, status: "completed", call_id: "call_1" });
  });

  it("are stored, and can be continued, streamed again and listed", async () => {
    const app = await startServer({
      engine: () => calling("shell", { commands: ["ls"] }),
      contextTokens: 4096,
    });
    const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
    const first = await client.responses.create({
      model: "ember-1m",
      input: "List.",
      tools: [{ type: "shell" }],
    });
    expect((await client.responses.retrieve(first.id)).output).toEqual(first.output);
    const replay = await client.responses.retrieve(first.id, { stream: true });
    const types: string[] = [];
    for await (const { type } of replay) types.push(type);
    expect(types).toContain("response.output_item.done");
    const second = await client.responses.create({
      model: "ember-1m",
      previous_response_id: first.id,
      tools: [{ type: "shell" }],
      input: [
        {
          type: "shell_call_output",
          call_id: "call_1",
          output: [{ stdout: "a.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
        },
      ],
    });
    expect(second.status).toBe("completed");
    expect(app.prompts.at(-1)).toContain("a.txt");
  });
});

describe("the history of an agent", () => {
  it("may hold calls and results of all kinds, and items of other servers", async () => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const input = [
      ...firstRequest.input,
      { type: "reasoning", summary: [], encrypted_content: "from-another-server" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
      { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: patch },
      { type: "custom_tool_call_output", call_id: "c1", output: "patched" },
      {
        type: "function_call",
        call_id: "c2",
        name: "close",
        namespace: "agents",
        arguments: '{"target":"a"}',
      },
      { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "closed" }] },
      {
        type: "local_shell_call",
        call_id: "c3",
        status: "completed",
        action: { type: "exec", command: ["ls"] },
      },
      { type: "local_shell_call_output", call_id: "c3", output: "listed" },
      { type: "tool_search_call", call_id: "c4", execution: "client", arguments: { query: "dates" } },
      {
        type: "tool_search_output",
        call_id: "c4",
        status: "completed",
        execution: "client",
        tools: [{ type: "function", name: "calendar", defer_loading: true, parameters: { type: "object" } }],
      },
      { type: "ghost_snapshot", ghost_commit: { id: "0" } },
    ];
    const frames = await framesOf<Frame>(await send(app, "/v1/responses", { ...firstRequest, input }));
    expect(frames.at(-1)?.type).toBe("response.completed");
    const [prompt] = app.prompts;
    for (const result of ["patched", "closed", "listed", "Available tools: calendar"])
      expect(prompt).toContain(`tool: ${result}`);
    expect(toolNames(app)).toContain("calendar");
  });
});

describe("a hosted tool", () => {
  it.each([
    ["the choice names it", { tool_choice: { type: "web_search" } }, "tool_choice"],
    [
      "no other tool can be called",
      { tool_choice: "required", tools: [{ type: "web_search" }] },
      "tools.0.type",
    ],
  ])("is refused by name when %s", async (_, change, param) => {
    const app = await startServer({ engine: () => ["Done."], contextTokens: 4096 });
    const response = await send(app, "/v1/responses", { ...firstRequest, ...change });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as {
      readonly error: { readonly message: string; readonly param: string };
    };
    expect([error.param, error.message]).toEqual([param, expect.stringContaining("'web_search'")]);
  });
});
