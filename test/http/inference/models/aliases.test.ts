import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../../kit/server.js";
import { clientOf, headersOf, hello, post } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";

const shared = fileServer({ engine: () => ["Good"] });

const messages = [{ role: "user" as const, content: "Hello" }];

/** The bodies of every route that generates text, with the field of the answer that has the model. */
const routes: readonly [path: string, body: object][] = [
  ["chat/completions", { messages }],
  ["completions", { prompt: "Hello" }],
  ["responses", { input: "Hello" }],
  ["messages", { messages, max_tokens: 10 }],
  ["complete", { prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 10 }],
];

describe("an answer to a request with an alias", () => {
  it.each(routes)("/v1/%s has the alias as its model and the ID in x-hearth-model", async (path, body) => {
    const server = shared();
    for (const model of ["ember", "ember-1m"]) {
      const response = await fetch(`${server.url}/v1/${path}`, {
        method: "POST",
        headers: headersOf(keys.ada),
        body: JSON.stringify({ model, ...body }),
      });
      expect([response.status, response.headers.get("x-hearth-model")]).toEqual([200, "ember-1m"]);
      expect(await response.json()).toMatchObject({ model });
    }
  });

  it("has the alias in every chunk of a stream, and in its stored, deferred and Anthropic forms", async () => {
    const server = shared();
    const openai = clientOf(server.url, keys.ada);
    const models = new Set<string>();
    for await (const chunk of await openai.chat.completions.create({
      model: "ember",
      messages,
      stream: true,
    }))
      models.add(chunk.model);
    const stored = await openai.responses.create({ model: "ember", input: "Hello" });
    models.add((await openai.responses.retrieve(stored.id)).model);
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: keys.ada });
    models.add((await anthropic.messages.create({ model: "ember", max_tokens: 10, messages })).model);
    expect([...models]).toEqual(["ember"]);
  });

  it("is recorded with the model that answered", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: () => ["Good"] });
    await (await post(server, { ...hello, model: "ember" })).json();
    const [record] = await server.records();
    expect(record).toMatchObject({ model: "ember-1m", requestedModel: "ember" });
  });

  it("that no model has is refused with the name that was asked", async () => {
    const server = shared();
    const openai = clientOf(server.url, keys.ada);
    const asked = openai.chat.completions.create({ model: "embers-of-old", messages });
    await expect(asked).rejects.toThrow(OpenAI.NotFoundError);
  });
});
