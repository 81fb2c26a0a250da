import type OpenAI from "openai";
import { NotFoundError } from "openai";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { type ScriptedSettings, startServer } from "../../../kit/server.js";
import { headersOf, hello, post } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { openaiClient } from "../../../kit/clients/conversations.js";
import { eventually } from "../../../kit/until.js";
import { toolCallSteps } from "../../../kit/clients/responses.js";

type Request = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;

const request: Request = { model: "ember-1m", messages: [{ role: "user", content: "Hello" }], store: true };

async function served(options: ScriptedSettings = {}) {
  const server = await startServer({ engine: () => ["Good", " day."], ...options });
  return { server, client: openaiClient(server.url) };
}

async function idsOf(
  client: OpenAI,
  query: OpenAI.Chat.ChatCompletionListParams = {},
): Promise<readonly string[]> {
  const ids = [];
  for await (const { id } of client.chat.completions.list(query)) ids.push(id);
  return ids;
}

describe("a chat completion with store: true", () => {
  it("is read, updated and deleted, in the shapes of the openai client", async () => {
    const { client } = await served();
    const made = await client.chat.completions.create({ ...request, metadata: { topic: "greetings" } });
    const stored = { ...made, metadata: { topic: "greetings" } };
    expect(await client.chat.completions.retrieve(made.id)).toEqual(stored);
    expect((await client.chat.completions.list()).data).toEqual([stored]);
    const changed = { ...made, metadata: { a: "b" } };
    expect(await client.chat.completions.update(made.id, { metadata: { a: "b" } })).toEqual(changed);
    expect(await client.chat.completions.retrieve(made.id)).toEqual(changed);
    expect(await client.chat.completions.update(made.id, { metadata: null })).toMatchObject({ metadata: {} });
    expect(await client.chat.completions.delete(made.id)).toEqual({
      id: made.id,
      object: "chat.completion.deleted",
      deleted: true,
    });
    for (const refused of [
      () => client.chat.completions.retrieve(made.id),
      () => client.chat.completions.update(made.id, { metadata: {} }),
      () => client.chat.completions.delete(made.id),
      () => client.chat.completions.messages.list(made.id),
    ])
      await expect(refused()).rejects.toThrow(NotFoundError);
    expect(await idsOf(client)).toEqual([]);
  });

  it("is stored alike when it is streamed or deferred", async () => {
    const { client, server } = await served();
    const whole = await client.chat.completions.create(request);
    let id = "";
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
      id = chunk.id;
    const deferred = await post(server, { ...request, deferred: true });
    const { request_id: later } = (await deferred.json()) as { readonly request_id: string };
    await vi.waitFor(() => client.chat.completions.retrieve(later), { interval: 5, timeout: 30_000 });
    const changing = { id: "", created: 0, usage: {} };
    for (const each of [id, later])
      expect({ ...(await client.chat.completions.retrieve(each)), ...changing }).toEqual({
        ...whole,
        ...changing,
        metadata: {},
      });
    expect(await idsOf(client)).toEqual([whole.id, id, later]);
  });

  it("lists the messages of its request page by page, each with an id", async () => {
    const server = await startServer({ engine: () => toolCallSteps("call_1", "wave", "{}") });
    const client = openaiClient(server.url);
    const messages: Request["messages"] = [
      { role: "system", content: "Be short." },
      { role: "user", content: [{ type: "text", text: "Hello" }], name: "ada" },
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "Done" },
    ];
    const { id } = await client.chat.completions.create({ ...request, messages });
    const listed = [];
    for await (const message of client.chat.completions.messages.list(id, { limit: 3 })) listed.push(message);
    expect(listed).toEqual([
      { id: `${id}-0`, role: "system", content: "Be short.", content_parts: null, refusal: null },
      {
        id: `${id}-1`,
        role: "user",
        refusal: null,
        name: "ada",
        content: null,
        content_parts: [{ type: "text", text: "Hello" }],
      },
      expect.objectContaining({ id: `${id}-2`, role: "assistant", content: null, content_parts: null }),
      { id: `${id}-3`, role: "tool", tool_call_id: "c", content: "Done", content_parts: null, refusal: null },
    ]);
    const newest = await client.chat.completions.messages.list(id, { order: "desc", limit: 1 });
    expect(newest.data).toEqual([listed[3]]);
    await expect(client.chat.completions.messages.list(id, { after: "no-0" })).rejects.toMatchObject({
      param: "after",
    });
  });

  it("is listed with those of its team that have its model and metadata, in both orders, whatever the size of the pages", async () => {
    const { client, server } = await served();
    type Metadata = Readonly<Record<string, string>>;
    const each: Metadata[] = [{}, { a: "1" }, { a: "2" }, { a: "1", "b.c": "x" }, { a: "1", "b.c": "y" }];
    const made: { readonly id: string; readonly model: string; readonly metadata: Metadata }[] = [];
    for (const model of ["ember-1m", "ember"])
      for (const metadata of each) {
        const { id } = await client.chat.completions.create({ ...request, model, metadata });
        made.push({ id, model, metadata });
      }
    await openaiClient(server.url, keys.mallory).chat.completions.create(request);
    const pairs = fc.dictionary(fc.constantFrom("a", "b.c"), fc.constantFrom("1", "x"), {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("ember-1m", "ember", undefined),
        pairs,
        fc.constantFrom("asc" as const, "desc" as const),
        fc.integer({ min: 1, max: 12 }),
        async (model, metadata, order, limit) => {
          const expected = made
            .filter((each) => model === undefined || each.model === model)
            .filter((each) => Object.entries(metadata).every(([key, value]) => each.metadata[key] === value))
            .map(({ id }) => id);
          const query = { metadata, order, limit, model };
          expect(await idsOf(client, query)).toEqual(order === "asc" ? expected : expected.toReversed());
        },
      ),
      { numRuns: casesOf(200) },
    );
  });

  it("is deleted after thirty days", async () => {
    const { client, server } = await served();
    const { id } = await client.chat.completions.create(request);
    const headers = headersOf(keys.ada);
    const statusOf = async () => (await fetch(`${server.url}/v1/chat/completions/${id}`, { headers })).status;
    server.clock.jump(29 * 86_400_000);
    server.clock.advance(10_000);
    expect(await statusOf()).toBe(200);
    server.clock.jump(86_400_000);
    await eventually(async () => {
      server.clock.advance(1000);
      expect(await statusOf()).toBe(404);
    });
  });
});

describe("a chat completion is not stored", () => {
  it.each([[undefined], [false], [null]])("with store: %s", async (store) => {
    const { client } = await served();
    const { store: _, ...rest } = request;
    const { id } = await client.chat.completions.create(store === undefined ? rest : { ...rest, store });
    await expect(client.chat.completions.retrieve(id)).rejects.toThrow(NotFoundError);
    expect(await idsOf(client)).toEqual([]);
  });

  it("when it fails", async () => {
    const server = await startServer({ engine: () => ["Half", new Error("gone")] });
    const client = openaiClient(server.url);
    await expect(client.chat.completions.create(request)).rejects.toThrow();
    expect(await idsOf(client)).toEqual([]);
  });

  it("beyond the limit of the server, which the error names; others are answered", async () => {
    const { client } = await served({ config: { chatCompletionsMax: 1 } });
    const { id } = await client.chat.completions.create(request);
    const refused = {
      status: 503,
      code: "storage_full",
      message: expect.stringContaining("chatCompletionsMax") as string,
    };
    await expect(client.chat.completions.create(request)).rejects.toMatchObject(refused);
    await client.chat.completions.create({ ...request, store: false });
    await client.chat.completions.delete(id);
    await client.chat.completions.create(request);
    await expect(client.chat.completions.create(request)).rejects.toMatchObject(refused);
  });
});

it.each([
  ["?limit=0", "limit"],
  ["?limit=101", "limit"],
  ["?order=up", "order"],
  ["?after=never", "after"],
  ["?metadata[a]=1&metadata[a]=2", "metadata[a]"],
  [`?${Array.from({ length: 17 }, (_, at) => `metadata[${at}]=x`).join("&")}`, "metadata"],
])("a list of stored completions with %s is refused with the name of the field", async (query, param) => {
  const { server } = await served();
  const response = await fetch(`${server.url}/v1/chat/completions${query}`, { headers: headersOf(keys.ada) });
  expect(await response.json()).toMatchObject({ error: { param } });
});

it("metadata that is not texts is refused with the name of the field", async () => {
  const { server } = await served();
  const response = await post(server, { ...hello, store: true, metadata: { a: 1 } });
  expect([response.status, await response.json()]).toMatchObject([422, { error: { param: "metadata.a" } }]);
});
