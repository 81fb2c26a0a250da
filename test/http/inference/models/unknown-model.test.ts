/** What clients read when they name a model that this server does not have. */
import { describe, expect, it } from "vitest";
import type { Model } from "../../../../src/core/model.js";
import { ember } from "../../../kit/scripted/ember.js";
import { type ScriptedServer, fileServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { emptyFile } from "../../../kit/server/scripted.js";
import { keys } from "../../../kit/server/six-keys.js";

const named = (model: Model, id: string): Model => ({
  ...model,
  manifest: { ...model.manifest, id, aliases: [] },
});
const models = [
  ember,
  named(ember, "gone-2m"),
  named(emptyFile, "embre-2m"),
  named({ ...ember, manifest: { ...ember.manifest, kind: "vision" } }, "embre-eyes"),
];

const shared = fileServer({ engine: () => [], models });

const sentence =
  "The model 'embre-1m' does not exist or your team has no access to it. Did you mean 'ember-1m'?";
const messages = [{ role: "user", content: "Hello" }];
const turn = "\n\nHuman: Hello\n\nAssistant:";
const openai = { message: sentence, type: "invalid_request_error", param: "model", code: "model_not_found" };
const inOpenAiForm = { code: "Some requested entity was not found", error: openai };
const inAnthropicForm = {
  type: "error",
  error: { type: "not_found_error", message: `model: ${sentence}` },
  request_id: expect.any(String) as string,
};

async function ask(server: ScriptedServer, path: string, body: object | null, key: string) {
  const init = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(server.url + path, { headers: headersOf(key), ...init });
  return { status: response.status, body: (await response.json()) as { error: { message: string } } };
}

describe("a model that does not exist", () => {
  it("answers 404 with the closest name in every dialect's own form", async () => {
    const server = shared();
    const model = "embre-1m";
    const requests: readonly (readonly [path: string, body: object | null, answer: object])[] = [
      ["/v1/chat/completions", { model, messages }, inOpenAiForm],
      ["/v1/chat/completions", { model, messages, stream: true }, inOpenAiForm],
      ["/v1/chat/completions", { model, messages, deferred: true }, inOpenAiForm],
      ["/v1/completions", { model, prompt: "Hello" }, inOpenAiForm],
      ["/v1/responses", { model, input: "Hello" }, inOpenAiForm],
      ["/v1/responses", { model, input: "Hello", background: true }, inOpenAiForm],
      ["/v1/responses/input_tokens", { model, input: "Hello" }, inOpenAiForm],
      ["/v1/responses/compact", { model, input: messages }, inOpenAiForm],
      ["/v1/tokenize-text", { model, text: "Hello" }, inOpenAiForm],
      ["/v1/messages", { model, messages, max_tokens: 5 }, inAnthropicForm],
      ["/v1/messages/count_tokens", { model, messages }, inAnthropicForm],
      ["/v1/complete", { model, prompt: turn, max_tokens_to_sample: 5 }, inAnthropicForm],
      [`/v1/models/${model}`, null, inOpenAiForm],
      [`/v1/language-models/${model}`, null, inOpenAiForm],
    ];
    for (const [path, body, answer] of requests)
      expect([path, await ask(server, path, body, keys.ada)]).toEqual([path, { status: 404, body: answer }]);
  });

  it("answers without names that the key may not use, and without those of models of another kind", async () => {
    const server = shared();
    // The key may use this name alone, which no model has.
    const hidden = await ask(server, "/v1/chat/completions", { model: "gone-1m", messages }, keys.bob);
    const image = { model: "embre-1m", prompt: "a cat" };
    const otherKind = await ask(server, "/v1/images/generations", image, keys.ada);
    for (const { status, body } of [hidden, otherKind])
      expect([status, body.error.message]).toEqual([404, expect.stringMatching(/no access to it\.$/)]);
  });
});
