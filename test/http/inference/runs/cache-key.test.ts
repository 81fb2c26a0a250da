import { expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { eventually } from "../../../kit/until.js";
import { chatLine, clientOf, createBatch, whenEnded } from "../../../kit/clients/batches.js";

it("the cache key reaches the engine from each dialect that has the field: direct, streamed, deferred, in the background, in a batch", async () => {
  const engine = createScriptedEngine(() => ["Yes."]);
  const server = await startServer({ accounts: "managed", engine });
  const client = clientOf(server);
  const keysSeen = () => engine.jobs.map(({ cacheKey }) => cacheKey);
  const messages = [{ role: "user" as const, content: "Hello" }];
  const chat = { model: builtInModel, messages };
  const response = { model: builtInModel, input: "Hello" };
  await client.chat.completions.create({ ...chat, prompt_cache_key: "chat" });
  await (
    await client.chat.completions.create({ ...chat, prompt_cache_key: "streamed", stream: true })
  )
    .toReadableStream()
    .pipeTo(new WritableStream());
  await client.chat.completions.create({ ...chat, prompt_cache_key: null });
  await client.responses.create({ ...response, prompt_cache_key: "response" });
  await client.responses.create(response);
  expect(keysSeen()).toEqual(["chat", "streamed", undefined, "response", undefined]);

  const deferred = { ...chat, prompt_cache_key: "deferred", deferred: true };
  await client.chat.completions.create(deferred);
  await eventually(() => expect(keysSeen()).toHaveLength(6));
  await client.responses.create({ ...response, prompt_cache_key: "background", background: true });
  await eventually(() => expect(keysSeen()).toHaveLength(7));
  await whenEnded(
    client,
    await createBatch(client, [chatLine("line", "Hello", { prompt_cache_key: "batch" })]),
  );
  expect(keysSeen().slice(5)).toEqual(["deferred", "background", "batch"]);
});

it.each([
  ["/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }] }],
  ["/v1/responses", { input: "Hello" }],
])("%s refuses by name a cache key that is no text or too long", async (path, body) => {
  const server = await startServer({ engine: () => ["Yes."] });
  const refused = [
    [7, 422],
    [{}, 422],
    [["k"], 422],
    ["k".repeat(513), 400],
  ] as const;
  for (const [key, status] of refused) {
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: headersOf(keys.ada),
      body: JSON.stringify({ model: "ember-1m", ...body, prompt_cache_key: key }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { param: "prompt_cache_key" } });
  }
  expect(server.engine.jobs).toEqual([]);
});
