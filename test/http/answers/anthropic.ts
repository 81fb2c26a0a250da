/** Answers that the `@anthropic-ai/sdk` package reads. */
import { messageEvent } from "../../../src/dialects/anthropic-messages/response-schema.js";
import { startMcpServer } from "../../kit/doubles/mcp-server.js";
import { keys } from "../../kit/server/six-keys.js";
import { start } from "../inference/responses/mcp/app.js";
import { answerSchema, askAll, asker, entries, first, model, weatherParameters } from "./served.js";
import type { AnswerCase } from "./served.js";

const path = "/v1/messages";
const say = (play: string) => ({ max_tokens: 99, messages: [{ role: "user", content: `play ${play}` }] });
const weather = { name: "get_weather", input_schema: weatherParameters };
const thinking = { type: "adaptive" };
const document = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "Grass is green. Snow is white." },
  citations: { enabled: true },
};
const requests: readonly object[] = [
  say("text"),
  { ...say("reasoning"), thinking },
  { ...say("call"), thinking, tools: [weather] },
  { ...say("long"), max_tokens: 2 },
  { ...say("stop"), stop_sequences: [" day"] },
  say("filter"),
  { ...say("json"), output_config: { format: { type: "json_schema", schema: answerSchema } } },
  {
    max_tokens: 99,
    messages: [{ role: "user", content: [document, { type: "text", text: "play cite" }] }],
  },
];
const managed = {
  ...say("text"),
  context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
};
const beta = "@anthropic-ai/sdk/resources/beta/messages/messages";

/** Asks for a sum that an MCP server adds. */
async function askWithMcp(more: object): Promise<readonly object[]> {
  const mcp = await startMcpServer();
  const { server } = await start(mcp);
  const tools = [{ type: "mcp_toolset", mcp_server_name: "math" }];
  const mcp_servers = [{ type: "url", name: "math", url: mcp.url }];
  return asker(server, keys.ada)(path, { ...say("text"), model: "ember-1m", mcp_servers, tools, ...more });
}

/** Events that the package's stream passes on; it reads `ping` and `error` itself. */
function messageEvents(events: readonly object[]): readonly object[] {
  return events.filter((each) => !("type" in each && ["ping", "error"].includes(String(each.type))));
}

const eventKinds = [
  ...messageEvent.options.map((each) => each.unwrap().shape.type.value).filter((kind) => kind !== "ping"),
  ...["text_delta", "thinking_delta", "citations_delta", "signature_delta", "input_json_delta"],
];
const noNull = "a client refuses null where a text has no citations";
const ofBetas = "a request has to ask for the beta";

const batch = { requests: [{ custom_id: "a", params: { model, ...say("text") } }] };

export const anthropicCases: readonly AnswerCase[] = [
  {
    from: "@anthropic-ai/sdk/resources/messages/messages",
    name: "Message",
    values: (ask) => askAll(ask, path, requests),
    kept: { [noNull]: ["content[].citations: is absent"] },
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/messages",
    name: "RawMessageStreamEvent",
    values: async (ask) => messageEvents(await askAll(ask, path, requests, { stream: true })),
    kinds: eventKinds,
    kept: { [noNull]: ["content_block.citations: is absent"] },
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/messages",
    name: "MessageTokensCount",
    values: (ask) => askAll(ask, `${path}/count_tokens`, [say("text")]),
  },
  {
    from: beta,
    name: "BetaMessage",
    values: async (ask) => [...(await askAll(ask, path, [...requests, managed])), ...(await askWithMcp({}))],
    kinds: ["mcp_tool_listing", "mcp_tool_use", "mcp_tool_result"],
    kept: {
      [noNull]: ["content[].citations: is absent", "content[].content[].citations: is absent"],
      [ofBetas]: [
        "context_management: is absent",
        "usage.fallback_credit: is absent",
        "usage.iterations: is absent",
      ],
    },
  },
  {
    from: beta,
    name: "BetaRawMessageStreamEvent",
    values: async (ask) =>
      messageEvents([
        ...(await askAll(ask, path, [...requests, managed], { stream: true })),
        ...(await askWithMcp({ stream: true })),
      ]),
    kinds: [...eventKinds, "mcp_tool_listing", "mcp_tool_use", "mcp_tool_result"],
    kept: {
      [noNull]: ["content_block.citations: is absent", "content_block.content[].citations: is absent"],
      [ofBetas]: [
        "context_management: is absent",
        "delta.estimated_tokens: is absent",
        "message.context_management: is absent",
        "message.usage.fallback_credit: is absent",
        "message.usage.iterations: is absent",
        "usage.fallback_credit: is absent",
        "usage.iterations: is absent",
      ],
    },
  },
  {
    from: beta,
    name: "BetaMessageTokensCount",
    values: (ask) => askAll(ask, `${path}/count_tokens`, [managed]),
  },
  {
    from: "@anthropic-ai/sdk/resources/models",
    name: "ModelInfo",
    values: async (ask) => [
      ...(await entries(ask("/v1/models"), "data")),
      ...(await ask(`/v1/models/${model}`)),
    ],
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/batches",
    name: "MessageBatch",
    values: async (ask) => {
      const made = await ask(`${path}/batches`, batch);
      const { id } = await first(Promise.resolve(made));
      const cancelled = await ask(`${path}/batches/${String(id)}/cancel`, {});
      return [...made, ...cancelled, ...(await entries(ask(`${path}/batches`), "data"))];
    },
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/batches",
    name: "MessageBatchIndividualResponse",
    values: async (ask) => {
      const { id } = await first(ask(`${path}/batches`, batch));
      for (;;) {
        const { processing_status: status } = await first(ask(`${path}/batches/${String(id)}`));
        if (status === "ended") return ask(`${path}/batches/${String(id)}/results`);
      }
    },
    kept: { [noNull]: ["result.message.content[].citations: is absent"] },
  },
  {
    from: "@anthropic-ai/sdk/resources/messages/batches",
    name: "DeletedMessageBatch",
    values: async (ask) => {
      const { id } = await first(ask(`${path}/batches`, batch));
      for (;;) {
        const { processing_status: status } = await first(ask(`${path}/batches/${String(id)}`));
        if (status === "ended") return ask(`${path}/batches/${String(id)}`, undefined, "DELETE");
      }
    },
  },
  {
    from: "@anthropic-ai/sdk/resources/shared",
    name: "ErrorResponse",
    values: async (ask) => [
      ...(await ask(path, {})),
      ...(await ask(path, { ...say("text"), model: "absent" })),
      ...(await ask(path, { ...say("fail"), model, stream: true })).slice(-1),
    ],
  },
];
