import { NotFoundError } from "openai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { type ScriptedSettings, startServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { eventually } from "../../../kit/until.js";
import { itemsOf, openaiClient, said, textsOf } from "../../../kit/clients/conversations.js";

async function served(options: ScriptedSettings = {}) {
  const server = await startServer({ engine: () => ["Good day."], ...options });
  return { server, client: openaiClient(server.url) };
}

/** Returns the status, code and field of a refused request, and whether its message contains a text. */
async function refusalOf(request: Promise<unknown>) {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown as { status: number; code: string; param: string; message: string },
  );
  if (error === null) throw new Error("not refused");
  const { status, code, param, message } = error;
  return { status, code, param, message };
}

describe("a conversation", () => {
  it("is created with items and metadata, read, updated and deleted, in the shapes of the openai client", async () => {
    const { client, server } = await served();
    const made = await client.conversations.create({ items: [said("One")], metadata: { topic: "numbers" } });
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-f]{32}$/) as string,
      object: "conversation",
      created_at: Math.floor(server.clock.now() / 1000),
      metadata: { topic: "numbers" },
    });
    expect(await client.conversations.retrieve(made.id)).toEqual(made);
    expect(await client.conversations.update(made.id, { metadata: { a: "b" } })).toEqual({
      ...made,
      metadata: { a: "b" },
    });
    expect(await client.conversations.update(made.id, { metadata: null })).toEqual({ ...made, metadata: {} });
    expect(textsOf(await itemsOf(client, made.id))).toEqual(["One"]);
    expect(await client.conversations.delete(made.id)).toEqual({
      id: made.id,
      object: "conversation.deleted",
      deleted: true,
    });
    for (const request of [
      () => client.conversations.retrieve(made.id),
      () => client.conversations.delete(made.id),
      () => client.conversations.update(made.id, { metadata: {} }),
      () => client.conversations.items.list(made.id),
      () => client.conversations.items.create(made.id, { items: [said("Two")] }),
    ])
      await expect(request()).rejects.toThrow(NotFoundError);
  });

  it("may be created with nothing", async () => {
    const { client } = await served();
    const { id, metadata } = await client.conversations.create();
    expect(metadata).toEqual({});
    expect(await client.conversations.items.list(id)).toMatchObject({ data: [], has_more: false });
  });

  it("takes items of every kind, gives each an id, and returns and deletes them one by one", async () => {
    const { client } = await served();
    const { id } = await client.conversations.create();
    const added = await client.conversations.items.create(id, {
      items: [
        said("Weather?"),
        { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "Rain" },
        { type: "reasoning", id: "rs_own", summary: [{ type: "summary_text", text: "Hm." }] },
        { role: "assistant", content: "Rain." },
      ],
    });
    expect(added).toMatchObject({ object: "list", has_more: false, first_id: added.data[0]?.id });
    expect(added.data.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "reasoning",
      "message",
    ]);
    const ids = added.data.map((item) => item.id ?? "");
    expect(ids[3]).toBe("rs_own");
    expect(new Set(ids).size).toBe(5);
    for (const [at, item] of added.data.entries())
      expect(await client.conversations.items.retrieve(ids[at] ?? "", { conversation_id: id })).toEqual(item);
    const include = ["reasoning.encrypted_content" as const];
    const encrypted = await client.conversations.items.retrieve("rs_own", { conversation_id: id, include });
    expect(encrypted).toMatchObject({ encrypted_content: expect.any(String) as string });

    const deleted = await client.conversations.items.delete("rs_own", { conversation_id: id });
    expect(deleted).toEqual(await client.conversations.retrieve(id));
    await expect(client.conversations.items.delete("rs_own", { conversation_id: id })).rejects.toThrow(
      NotFoundError,
    );
    expect((await itemsOf(client, id)).map((item) => item.id)).toEqual(
      ids.filter((each) => each !== "rs_own"),
    );
  });

  it("lists items page by page as they were added, in both orders, whatever the size of the pages", async () => {
    const { client } = await served();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 20 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 30 }),
        async (batches, limit) => {
          const { id } = await client.conversations.create({ items: (batches[0] ?? []).map(said) });
          for (const batch of batches.slice(1))
            await client.conversations.items.create(id, { items: batch.map(said) });
          const listed = { asc: [] as unknown[], desc: [] as unknown[] };
          for (const order of ["asc", "desc"] as const)
            for await (const item of client.conversations.items.list(id, { order, limit }))
              listed[order].push(item);
          expect(textsOf(listed.asc)).toEqual(batches.flat());
          expect(listed.desc).toEqual(listed.asc.toReversed());
        },
      ),
      { numRuns: casesOf(100) },
    );
  });

  it("lists the newest items first unless the request says otherwise", async () => {
    const { client } = await served();
    const { id } = await client.conversations.create({ items: [said("One"), said("Two")] });
    expect(textsOf((await client.conversations.items.list(id)).data)).toEqual(["Two", "One"]);
  });

  it("takes the items that its requests refer to as copies", async () => {
    const { client } = await served();
    const response = await client.responses.create({ model: "ember-1m", input: "Hello" });
    const reference = { type: "item_reference" as const, id: response.output[0]?.id ?? "" };
    const { id } = await client.conversations.create({ items: [reference] });
    await client.responses.delete(response.id);
    expect(textsOf(await itemsOf(client, id))).toEqual(["Good day."]);
    expect(
      await refusalOf(
        client.conversations.create({ items: [said("One"), { ...reference, id: "msg_never" }] }),
      ),
    ).toMatchObject({ status: 400, param: "items.1.id" });
  });

  it("stays after the retention of responses", async () => {
    const { client, server } = await served();
    const { id } = await client.conversations.create({ items: [said("One")] });
    const response = await client.responses.create({ model: "ember-1m", input: "Hello" });
    server.clock.jump(400 * 86_400_000);
    const headers = headersOf(keys.ada);
    await eventually(async () => {
      server.clock.advance(1000);
      expect((await fetch(`${server.url}/v1/responses/${response.id}`, { headers })).status).toBe(404);
    });
    expect(textsOf(await itemsOf(client, id))).toEqual(["One"]);
  });
});

describe("a conversation is refused", () => {
  it.each<[object, string]>([
    [{ items: Array.from({ length: 21 }, () => said("One")) }, "items"],
    [{ items: "Hello" }, "items"],
    [{ items: [{ role: "king", content: "Hello" }] }, "items.0.role"],
    [
      { items: [{ role: "user", content: [{ type: "input_file", filename: "a.txt" }] }] },
      "items.0.content.0",
    ],
    [{ metadata: { a: 1 } }, "metadata.a"],
    [{ metadata: { a: "x".repeat(513) } }, "metadata.a"],
  ])("with the name of the field: %j", async (body, param) => {
    const { client } = await served();
    expect(await refusalOf(client.conversations.create(body))).toMatchObject({ param });
  });

  it("beyond the number that a team may have, with the name of the limit; another team is not affected", async () => {
    const { client, server } = await served({ config: { teamConversationsMax: 2 } });
    const [first] = [await client.conversations.create(), await client.conversations.create()];
    const refused = { status: 400, message: expect.stringContaining("teamConversationsMax") as string };
    expect(await refusalOf(client.conversations.create())).toMatchObject(refused);
    await openaiClient(server.url, keys.mallory).conversations.create();
    await client.conversations.delete(first.id);
    await client.conversations.create();
    expect(await refusalOf(client.conversations.create())).toMatchObject(refused);
  });

  it.each([
    ["items", { conversationItemsMax: 3 }, "conversationItemsMax"],
    ["bytes", { conversationBytesMax: 1024 }, "conversationBytesMax"],
  ])(
    "items beyond the %s that it may have, whole requests, with the name of the limit",
    async (_, config, name) => {
      const { client } = await served({ config });
      const long = name === "conversationItemsMax" ? "x" : "x".repeat(150);
      const { id } = await client.conversations.create({ items: [said(long), said(long)] });
      const add = (count: number) =>
        client.conversations.items.create(id, { items: Array.from({ length: count }, () => said(long)) });
      const refused = { status: 400, message: expect.stringContaining(name) as string };
      expect(await refusalOf(add(2))).toMatchObject(refused);
      expect(await itemsOf(client, id)).toHaveLength(2);
      await add(1);
      expect(await refusalOf(add(1))).toMatchObject(refused);
      const input = [said(long)];
      expect(
        await refusalOf(client.responses.create({ model: "ember-1m", input, conversation: id })),
      ).toMatchObject(refused);
      const [oldest] = await itemsOf(client, id);
      await client.conversations.items.delete(oldest?.id ?? "", { conversation_id: id });
      await add(1);
      expect(
        await refusalOf(client.conversations.create({ items: Array.from({ length: 6 }, () => said(long)) })),
      ).toMatchObject(refused);
    },
  );

  it("an item that it has already, and no other of the request is added", async () => {
    const { client } = await served();
    const own = { ...said("One"), type: "message" as const, id: "msg_own" };
    const { id } = await client.conversations.create({ items: [own] });
    expect(
      await refusalOf(client.conversations.items.create(id, { items: [said("Two"), own] })),
    ).toMatchObject({ status: 400, code: "duplicate_item" });
    expect(textsOf(await itemsOf(client, id))).toEqual(["One"]);
  });

  it.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?order=up", "order"],
    ["?after=msg_never", "after"],
  ])("a list with %s, with the name of the field", async (query, param) => {
    const { client } = await served();
    const { id } = await client.conversations.create();
    expect(await refusalOf(client.get(`/conversations/${id}/items${query}`))).toMatchObject({ param });
  });
});
