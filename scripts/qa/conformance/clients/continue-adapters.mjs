/** The part of Continue that calls models: its adapters, with the provider `openai` of its configuration. */
import assert from "node:assert/strict";
import { constructLlmApi } from "@continuedev/openai-adapters";
import * as shared from "./flows.mjs";

const { assertNear, assertWords, builtIn, collect, runFlows } = shared;
const { signal } = new AbortController();

/** @param {string} provider @param {string} model */
const createApi = (provider, model, base = `${builtIn.url}/v1/`) =>
  constructLlmApi({ provider, model, apiKey: builtIn.key, apiBase: base });
const messages = [{ role: "user", content: "Hello!" }];
const request = { model: builtIn.model, messages, temperature: 0, max_tokens: 100 };

/** @param {() => ReturnType<typeof createApi>} api */
const chats = (api) => async () => {
  const whole = await api().chatCompletionNonStream({ ...request, stream: false }, signal);
  assertWords(whole.choices[0].message.content);
  const parts = await collect(api().chatCompletionStream({ ...request, stream: true }, signal));
  assert.equal(
    parts.map(({ choices }) => choices[0]?.delta?.content ?? "").join(""),
    whole.choices[0].message.content,
  );
};

await runFlows({
  chat: chats(() => createApi("openai", builtIn.model)),
  "chat, anthropic": chats(() => createApi("anthropic", builtIn.model)),
  async tools() {
    const tools = [
      {
        type: "function",
        function: {
          name: "get_weather",
          description: "Get the weather in a city",
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        },
      },
    ];
    const asked = { ...request, messages: [{ role: "user", content: shared.question }], tools };
    const parts = await collect(
      createApi("openai", builtIn.model).chatCompletionStream({ ...asked, stream: true }, signal),
    );
    const calls = parts.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    assert.equal(calls[0]?.function?.name, "get_weather");
    const text = calls.map((call) => call.function?.arguments ?? "").join("");
    assert.equal(typeof JSON.parse(text).city, "string");
  },
  async embeddings() {
    const { data } = await createApi("openai", shared.embedder).embed({
      model: shared.embedder,
      input: shared.threeTexts,
    });
    assertNear(data.map(({ embedding }) => embedding));
  },
  async models() {
    const models = await createApi("openai", builtIn.model).list();
    assert.ok(models.some(({ id }) => id === builtIn.model));
  },
});
