/** Answers that the `ollama` package reads. */
import { answerSchema, askAll, model, weatherParameters } from "./served.js";
import type { AnswerCase } from "./served.js";

const say = (play: string) => ({ messages: [{ role: "user", content: `play ${play}` }] });
const chats: readonly object[] = [
  say("text"),
  { ...say("reasoning"), think: true },
  {
    ...say("call"),
    tools: [{ type: "function", function: { name: "get_weather", parameters: weatherParameters } }],
  },
  { ...say("long"), options: { num_predict: 2 } },
  { ...say("stop"), options: { stop: [" day"] } },
  { ...say("logprobs"), logprobs: true, top_logprobs: 1 },
  { ...say("json"), format: answerSchema },
  say("filter"),
];
const prompts: readonly object[] = [
  { prompt: "play text" },
  { prompt: "play reasoning", think: true },
  { prompt: "play long", options: { num_predict: 2 } },
  { prompt: "play logprobs", logprobs: true, top_logprobs: 1 },
];
const painter = "hearth-painter-3m";
const ofImage = [
  ...["eval_count", "eval_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration"],
].map((name) => `${name}: is absent`);
const embedder = "hearth-embed-1m";
const whole = { stream: false };

const dates = "the package passes times on as JSON has them";
const oneType = "the package has one type for the models of two routes, which do not send the same";
const times = { [dates]: ["created_at: a text is not Date"] };
const noContext = {
  "the tokens of earlier answers are a field that Ollama has deprecated": ["context: is absent"],
};
const ofLastLine = {
  "only the last line has the counts": [
    ...["done_reason", "eval_count", "eval_duration", "load_duration", "prompt_eval_count"],
    ...["prompt_eval_duration", "total_duration"],
  ].map((name) => `${name}: is absent`),
};

export const ollamaCases: readonly AnswerCase[] = [
  {
    from: "ollama",
    name: "ChatResponse",
    values: (ask) => askAll(ask, "/api/chat", chats, whole),
    kept: times,
  },
  {
    from: "ollama",
    name: "ChatResponse",
    what: "streamed",
    values: (ask) => askAll(ask, "/api/chat", chats),
    kept: { ...times, ...ofLastLine },
  },
  {
    from: "ollama",
    name: "GenerateResponse",
    values: (ask) => askAll(ask, "/api/generate", prompts, whole),
    kept: { ...times, ...noContext },
  },
  {
    from: "ollama",
    name: "GenerateResponse",
    what: "with an image",
    values: (ask) => ask("/api/generate", { model: painter, prompt: "a fox", width: 64, ...whole }),
    kept: {
      ...times,
      ...noContext,
      "an image is not counted in tokens": ofImage,
    },
  },
  {
    from: "ollama",
    name: "GenerateResponse",
    what: "streamed",
    values: (ask) => askAll(ask, "/api/generate", prompts),
    kept: { ...times, ...noContext, ...ofLastLine },
  },
  {
    from: "ollama",
    name: "EmbedResponse",
    values: (ask) => ask("/api/embed", { model: embedder, input: ["a", "b"] }),
  },
  {
    from: "ollama",
    name: "EmbeddingsResponse",
    values: (ask) => ask("/api/embeddings", { model: embedder, prompt: "a" }),
  },
  {
    from: "ollama",
    name: "ListResponse",
    values: (ask) => ask("/api/tags"),
    kept: {
      [dates]: ["models[].modified_at: a text is not Date"],
      [oneType]: ["models[].expires_at: is absent", "models[].size_vram: is absent"],
    },
  },
  {
    from: "ollama",
    name: "ListResponse",
    what: "of models in memory",
    values: async (ask) => {
      await ask("/api/generate", { model });
      return ask("/api/ps");
    },
    kept: {
      [dates]: ["models[].expires_at: a text is not Date"],
      [oneType]: ["models[].modified_at: is absent"],
    },
  },
  {
    from: "ollama",
    name: "ShowResponse",
    values: async (ask) => [
      ...(await ask("/api/show", { model })),
      ...(await ask("/api/show", { model: embedder })),
    ],
    kept: {
      [dates]: ["modified_at: a text is not Date"],
      "the package passes the object on as JSON has it": ["model_info: an object is not Map<string, any>"],
      "Ollama sends messages only of models that have some": ["messages: is absent"],
    },
  },
  { from: "ollama", name: "VersionResponse", values: (ask) => ask("/api/version") },
  { from: "ollama", name: "ErrorResponse", values: (ask) => ask("/api/show", { model: "absent" }) },
];
