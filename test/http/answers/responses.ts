/** Answers of the Responses API and of conversations, as the `openai` package reads them. */
import { setTimeout as wait } from "node:timers/promises";
import { responseEventSchema } from "../../../src/dialects/openai-responses/event-schema.js";
import { outputItemSchema } from "../../../src/dialects/openai-responses/response-schema.js";
import { startMcpServer } from "../../kit/doubles/mcp-server.js";
import { keys } from "../../kit/server/six-keys.js";
import { start, toolOf } from "../inference/responses/mcp/app.js";
import { answerSchema, askAll, asker, entries, first, model, weatherParameters } from "./served.js";
import type { AnswerCase, Ask } from "./served.js";

const path = "/v1/responses";
const long = "word ".repeat(1_200).trim();
const history = [
  { role: "user", content: long },
  { role: "assistant", content: "I see." },
  { role: "user", content: "play text" },
];
const weather = { type: "function", name: "get_weather", parameters: weatherParameters };
const requests: readonly object[] = [
  { input: "play text" },
  { input: "play reasoning", include: ["reasoning.encrypted_content"] },
  { input: "play call", tools: [weather], reasoning: { effort: "low", summary: "auto" }, user: "u" },
  { input: "play custom", tools: [{ type: "custom", name: "note" }] },
  { input: "play local", tools: [{ type: "local_shell" }] },
  { input: "play shell", tools: [{ type: "shell" }] },
  { input: "play patch", tools: [{ type: "apply_patch" }] },
  {
    input: "play search",
    tools: [{ type: "tool_search", execution: "client", parameters: weatherParameters }],
  },
  { input: "play draw", tools: [{ type: "image_generation", model: "hearth-painter-3m" }] },
  { input: history, context_management: [{ type: "compaction", compact_threshold: 1_000 }] },
  { input: "play long", max_output_tokens: 2, instructions: "Count.", metadata: { a: "b" } },
  { input: "play filter", truncation: "auto", prompt_cache_key: "k", safety_identifier: "s" },
  { input: "play logprobs", include: ["message.output_text.logprobs"], top_logprobs: 1 },
  { input: "play json", text: { format: { type: "json_schema", name: "a", schema: answerSchema } } },
  { input: "play json", text: { format: { type: "json_object" } }, tool_choice: "none" },
];

/** Asks for the sum that an MCP server adds, then for one whose call the user has to allow, then for a tool that fails. */
async function askWithMcp(more: object): Promise<readonly object[]> {
  const mcp = await startMcpServer();
  const values: object[] = [];
  for (const [name, approval] of [
    ["add", "never"],
    ["add", "always"],
    ["fail", "never"],
  ] as const) {
    const { server } = await start(mcp, (prompt) => (prompt.includes("tool: ") ? ["Done."] : mcpCall(name)));
    const tools = [toolOf(mcp, { require_approval: approval })];
    values.push(
      ...(await asker(server, keys.ada)(path, { model: "ember-1m", input: "2 + 3?", tools, ...more })),
    );
  }
  return values;
}

async function inBackground(ask: Ask, play: string): Promise<readonly object[]> {
  const queued = await ask(path, { model, input: `play ${play}`, background: true });
  const { id } = await first(Promise.resolve(queued));
  for (;;) {
    const [answer = {}] = await ask(`${path}/${String(id)}`);
    if ("status" in answer && !["queued", "in_progress"].includes(String(answer.status)))
      return [...queued, answer];
    await wait(10);
  }
}

async function stored(ask: Ask, body: object): Promise<string> {
  return String((await first(ask(path, { model, ...body })))["id"]);
}

const conversation = { items: [{ type: "message", role: "user", content: "Hi" }], metadata: { a: "b" } };

async function talked(ask: Ask): Promise<string> {
  const { id } = await first(ask("/v1/conversations", conversation));
  await ask(`/v1/conversations/${String(id)}/items`, { items: requestItems });
  for (const request of requests.slice(0, 8)) await ask(path, { model, ...request, conversation: id });
  return `/v1/conversations/${String(id)}`;
}

const kept = (place: string): AnswerCase["kept"] => ({
  "the package itself joins the texts": [`${place}output_text: is absent`],
  "the specification Open Responses requires the members, with null": [
    `${place}text.format.description: null is none of undefined, string`,
    `${place}usage: null is none of undefined, ResponseUsage`,
  ],
});

export const responsesCases: readonly AnswerCase[] = [
  {
    from: "openai/resources/responses/responses",
    name: "Response",
    values: async (ask) => [
      ...(await askAll(ask, path, requests)),
      ...(await askWithMcp({})),
      ...(await inBackground(ask, "text")),
      ...(await inBackground(ask, "fail")),
    ],
    kinds: outputItemSchema.options.map((each) => each.unwrap().shape.type.value),
    kept: kept(""),
  },
  {
    from: "openai/resources/responses/responses",
    name: "ResponseStreamEvent",
    values: async (ask) => [
      ...(await askAll(ask, path, [...requests, { input: "play fail" }], { stream: true })),
      ...(await askWithMcp({ stream: true })),
      ...(await ask(path, { model, input: "play text", background: true, stream: true })),
    ],
    kinds: [...responseEventSchema.options, ...outputItemSchema.options].map(
      (each) => each.unwrap().shape.type.value,
    ),
    kept: kept("response."),
  },
  {
    from: "openai/resources/responses/input-items",
    name: "ResponseItemList",
    values: async (ask) => {
      const id = await stored(ask, { input: [{ role: "user", content: "Hi" }, ...requestItems] });
      return ask(`${path}/${id}/input_items`);
    },
  },
  {
    from: "openai/resources/responses/input-tokens",
    name: "InputTokenCountResponse",
    values: (ask) => ask(`${path}/input_tokens`, { model, input: "Hi" }),
  },
  {
    from: "openai/resources/responses/responses",
    name: "CompactedResponse",
    values: (ask) => ask(`${path}/compact`, { model, input: history }),
  },
  {
    from: "openai/resources/conversations/conversations",
    name: "Conversation",
    values: async (ask) => {
      const made = await ask("/v1/conversations", conversation);
      const { id } = await first(Promise.resolve(made));
      return [...made, ...(await ask(`/v1/conversations/${String(id)}`))];
    },
  },
  {
    from: "openai/resources/conversations/conversations",
    name: "ConversationDeletedResource",
    values: async (ask) => ask(await talked(ask), undefined, "DELETE"),
  },
  {
    from: "openai/resources/conversations/items",
    name: "ConversationItemList",
    values: async (ask) => {
      const at = await talked(ask);
      return [...(await ask(`${at}/items`)), ...(await ask(`${at}/items`, { items: conversation.items }))];
    },
  },
  {
    from: "openai/resources/conversations/items",
    name: "ConversationItem",
    values: async (ask) => {
      const at = await talked(ask);
      const items = await entries(ask(`${at}/items`), "data");
      return (await Promise.all(items.map(({ id }) => ask(`${at}/items/${String(id)}`)))).flat();
    },
  },
];

/** Items of a history, of each kind that a client sends back. */
const requestItems = [
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] },
  { type: "function_call", call_id: "c1", name: "get_weather", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "Rain" },
  { type: "custom_tool_call", call_id: "c2", name: "note", input: "a" },
  { type: "custom_tool_call_output", call_id: "c2", output: "b" },
  { type: "shell_call", call_id: "c3", action: { commands: ["ls"] } },
  {
    type: "shell_call_output",
    call_id: "c3",
    output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  },
  {
    type: "apply_patch_call",
    call_id: "c4",
    status: "completed",
    operation: { type: "delete_file", path: "a" },
  },
  { type: "apply_patch_call_output", call_id: "c4", status: "completed", output: "done" },
  { role: "assistant", content: "Rain." },
];

function mcpCall(name: string) {
  const call = { choice: 0, index: 0 };
  return [
    { type: "tool-call-start", ...call, id: "call_1", name: `math__${name}`, tokens: 1 },
    { type: "tool-call-delta", ...call, arguments: JSON.stringify({ a: 2, b: 3 }), tokens: 1 },
    { type: "tool-call-end", ...call, tokens: 0 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ] as const;
}
