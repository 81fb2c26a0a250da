/** Answers that the `openai` package reads, without its responses and conversations. */
import { answerSchema, askAll, entries, first, model, weatherParameters } from "./served.js";
import type { AnswerCase } from "./served.js";

const say = (play: string) => ({ messages: [{ role: "user", content: `play ${play}` }] });
const weather = { name: "get_weather", parameters: weatherParameters };
const chats: readonly object[] = [
  say("text"),
  { ...say("text"), n: 2 },
  say("reasoning"),
  { ...say("call"), tools: [{ type: "function", function: weather }] },
  { ...say("call"), tools: [{ type: "function", function: weather }], tool_stream: true },
  { ...say("call"), functions: [weather] },
  { ...say("custom"), tools: [{ type: "custom", custom: { name: "note" } }] },
  { ...say("long"), max_tokens: 2 },
  { ...say("stop"), stop: " day" },
  say("filter"),
  { ...say("logprobs"), logprobs: true, top_logprobs: 1 },
  {
    ...say("json"),
    response_format: { type: "json_schema", json_schema: { name: "a", schema: answerSchema } },
  },
];
const completions: readonly object[] = [
  { prompt: "play text" },
  { prompt: ["play text", "play long"], max_tokens: 2 },
  { prompt: "play logprobs", logprobs: 1 },
  { prompt: "play filter", echo: true },
];
const chat = "/v1/chat/completions";
const otherSizes = "the package lists the sizes of the hosted models";
const stored = { ...say("text"), model, store: true, metadata: { a: "b" } };

export const openaiCases: readonly AnswerCase[] = [
  {
    from: "openai/resources/chat/completions",
    name: "ChatCompletion",
    values: async (ask) => {
      const { id } = await first(ask(chat, stored));
      return [
        ...(await askAll(ask, chat, chats)),
        ...(await ask(`${chat}/${String(id)}`)),
        ...(await ask(`${chat}/${String(id)}`, { metadata: {} })),
        ...(await entries(ask(chat), "data")),
      ];
    },
  },
  {
    from: "openai/resources/chat/completions",
    name: "ChatCompletionChunk",
    values: (ask) => askAll(ask, chat, chats, { stream: true, stream_options: { include_usage: true } }),
    kept: {
      "the package declares calls of functions only": [
        'choices[].delta.tool_calls[].type: "custom" is none of undefined, "function"',
      ],
    },
  },
  {
    from: "openai/resources/chat/completions",
    name: "ChatCompletionStoreMessage",
    values: async (ask) => {
      const { id } = await first(ask(chat, stored));
      return entries(ask(`${chat}/${String(id)}/messages`), "data");
    },
    kept: { "the messages of a request are mostly the user's": ['role: "user" is not "assistant"'] },
  },
  {
    from: "openai/resources/chat/completions",
    name: "ChatCompletionDeleted",
    values: async (ask) => {
      const { id } = await first(ask(chat, stored));
      return ask(`${chat}/${String(id)}`, undefined, "DELETE");
    },
  },
  {
    from: "openai/resources/completions",
    name: "Completion",
    values: (ask) => askAll(ask, "/v1/completions", completions),
  },
  {
    from: "openai/resources/completions",
    name: "Completion",
    what: "streamed",
    values: (ask) => askAll(ask, "/v1/completions", completions.slice(0, 3), { stream: true }),
    kept: {
      "an answer that goes on has no reason yet, as in the hosted service's streams": [
        'choices[].finish_reason: null is none of "stop", "length", "content_filter"',
      ],
    },
  },
  {
    from: "openai/resources/embeddings",
    name: "CreateEmbeddingResponse",
    values: (ask) => askAll(ask, "/v1/embeddings", [{ input: "a" }, { input: ["a", "b"] }], embedder),
  },
  {
    from: "openai/resources/images",
    name: "ImagesResponse",
    values: (ask) =>
      askAll(ask, "/v1/images/generations", [
        { ...painted, n: 2 },
        { ...painted, response_format: "b64_json", quality: "low" },
      ]),
    kept: {
      [otherSizes]: ['size: "64x64" is none of undefined, "1024x1024", "1024x1536", "1536x1024"'],
    },
  },
  {
    from: "openai/resources/images",
    name: "ImageGenStreamEvent",
    values: (ask) => ask("/v1/images/generations", { ...painted, stream: true }),
    kept: {
      [otherSizes]: ['size: "64x64" is none of "auto", "1024x1024", "1024x1536", "1536x1024"'],
    },
  },
  {
    from: "openai/resources/models",
    name: "Model",
    values: async (ask) => [
      ...(await entries(ask("/v1/models"), "data")),
      ...(await ask(`/v1/models/${model}`)),
    ],
  },
  {
    from: "openai/resources/files",
    name: "FileObject",
    values: async (ask) => [
      ...(await ask("/v1/files", file("user_data"))),
      ...(await entries(ask("/v1/files"), "data")),
    ],
  },
  {
    from: "openai/resources/files",
    name: "FileDeleted",
    values: async (ask) => {
      const { id } = await first(ask("/v1/files", file("user_data")));
      return ask(`/v1/files/${String(id)}`, undefined, "DELETE");
    },
  },
  {
    from: "openai/resources/batches",
    name: "Batch",
    values: async (ask) => {
      const { id } = await first(ask("/v1/files", file("batch")));
      const made = await ask("/v1/batches", {
        input_file_id: id,
        endpoint: chat,
        completion_window: "24h",
      });
      const cancelled = await ask(
        `/v1/batches/${String((await first(Promise.resolve(made)))["id"])}/cancel`,
        {},
      );
      return [...made, ...cancelled, ...(await entries(ask("/v1/batches"), "data"))];
    },
    kept: {
      "the published examples have null for what has not happened": [
        ...["cancelled_at", "cancelling_at", "completed_at", "expired_at", "failed_at"],
        ...["finalizing_at", "in_progress_at"],
      ]
        .map((name) => `${name}: null is none of undefined, number`)
        .concat(
          "error_file_id: null is none of undefined, string",
          "errors: null is none of undefined, Errors",
          "output_file_id: null is none of undefined, string",
        ),
    },
  },
  {
    from: "openai/resources/shared",
    name: "ErrorObject",
    values: async (ask) => {
      const answers = [await ask(chat, {}), await ask(chat, { ...say("text"), model: "absent" })];
      return [...answers.flat(), ...(await ask("/v1/models/absent"))].map((each) =>
        "error" in each ? each.error : each,
      );
    },
  },
];

const embedder = { model: "hearth-embed-1m" };
const painted = { model: "hearth-painter-3m", prompt: "a fox" };

function file(purpose: string): FormData {
  const line = {
    custom_id: "a",
    method: "POST",
    url: chat,
    body: { ...say("text"), model },
  };
  const form = new FormData();
  form.set("purpose", purpose);
  form.set("file", new Blob([JSON.stringify(line)]), "a.jsonl");
  return form;
}
