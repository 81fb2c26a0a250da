import { describe, expect, it } from "vitest";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer } from "../../../kit/server.js";
import { gate } from "../../../kit/until.js";
import {
  createResponsesClient,
  toolCallSteps,
  eventOf,
  lastResponse,
  reasoningStep,
} from "../../../kit/clients/responses.js";

/** A response with reasoning, a text and a tool call, and clients of its team. */
async function stored(fields: object = {}) {
  const server = await startServer({
    engine: () => [reasoningStep("Hm."), "Good day.", ...toolCallSteps("call_1", "wave", "{}")],
  });
  const client = createResponsesClient(server.url);
  const tools = [{ type: "function", name: "wave", parameters: { type: "object", properties: {} } }];
  const response = await client.create({ input: "Hello", tools, ...fields });
  return { server, client, response };
}

const said = (items: readonly unknown[]) =>
  items.map((item) => (item as { content: readonly { text: string }[] }).content[0]?.text);

describe("a stored response", () => {
  it("is returned unchanged, as often as it is read", async () => {
    const { client, response } = await stored();
    expect(await client.find(response.id)).toEqual(response);
    expect(await client.find(response.id)).toEqual(response);
  });

  it("is deleted once, and does not exist afterwards", async () => {
    const { client, response } = await stored();
    const { id } = response;
    const deleted = await client.send("DELETE", `/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { id, object: "response", deleted: true }]);
    const routes = [
      ["DELETE", `/${id}`],
      ["GET", `/${id}`],
      ["GET", `/${id}?stream=true`],
      ["GET", `/${id}/input_items`],
      ["POST", `/${id}/cancel`],
    ] as const;
    for (const [method, path] of routes) {
      const { status, body } = await client.send(method, path);
      expect([status, body]).toMatchObject([
        404,
        { error: { message: `Response with id '${id}' not found.`, param: "response_id" } },
      ]);
    }
    // References to its items fail, too.
    const input = [{ type: "item_reference", id: response.output[0]?.id }];
    expect((await client.send("POST", "", { model: "ember-1m", input })).status).toBe(400);
  });

  it("returns encrypted reasoning on request, by either form of the query", async () => {
    const { client, response } = await stored();
    const encrypted = { type: "reasoning", encrypted_content: expect.any(String) as string };
    expect(response.output[0]).not.toHaveProperty("encrypted_content");
    for (const name of ["include[]", "include"]) {
      const found = await client.send("GET", `/${response.id}?${name}=reasoning.encrypted_content`);
      expect([name, found.body]).toMatchObject([name, { output: [encrypted, {}, {}] }]);
    }
    const other = await client.find(response.id, "?include[]=message.output_text.logprobs");
    expect(other).toEqual(response);
  });

  it("is replayed as a stream that adds up to it, from any event on", async () => {
    const { client, response } = await stored();
    const frames = await (await client.follow(response.id)).all();
    const events = frames.slice(0, -1).map(eventOf);
    expect(readStream(events)).toEqual({ last: response, items: response.output });
    for (const after of [0, 3, events.length - 2])
      expect(await (await client.follow(response.id, after)).all()).toEqual(frames.slice(after + 1));
  });

  it("sends its last event to a client that has seen more events than the replay has", async () => {
    const server = await startServer({
      engine: () => "one two three four five six seven eight".split(/(?= )/),
    });
    const client = createResponsesClient(server.url);
    const events = await (await client.stream({ input: "Count" })).events();
    const response = lastResponse(events);
    const rest = await (await client.follow(response.id, events.length - 2)).events();
    expect(lastResponse(rest)).toEqual(response);
  });

  it.each<[string, string]>([
    ["starting_after=-1", "starting_after"],
    ["starting_after=one", "starting_after"],
    ["stream=yes", "stream"],
    ["stream=true&stream=true", "stream"],
  ])("is rejected with ?%s and the name of the field", async (query, param) => {
    const { client, response } = await stored();
    const { status, body } = await client.send("GET", `/${response.id}?${query}`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: { param } });
  });

  it("cannot be cancelled unless it is a background response", async () => {
    const { client, response } = await stored();
    const { status, body } = await client.send("POST", `/${response.id}/cancel`);
    expect([status, body]).toMatchObject([400, { error: { param: "response_id" } }]);
    expect(await client.find(response.id)).toEqual(response);
  });
});

describe("the input items of a response", () => {
  it("are the conversation before it and its own input, each with an id, in pages", async () => {
    const server = await startServer({ engine: (prompt) => [prompt.includes("Two") ? "Second." : "First."] });
    const client = createResponsesClient(server.url);
    const first = await client.create({ input: "One", instructions: "Not an item." });
    const input = [
      { role: "user", content: "Two", id: "my-own" },
      { role: "user", content: "Three" },
    ];
    const second = await client.create({ input, previous_response_id: first.id });
    const all = await client.inputItems(second.id);
    expect(said(all.data)).toEqual(["One", "First.", "Two", "Three"]);
    expect(all.data[1]).toEqual(first.output[0]);
    expect(all.data[2]).toMatchObject({ id: "my-own", type: "message", status: "completed" });
    const ids = all.data.map(({ id }) => id ?? "");
    expect(new Set(ids).size).toBe(4);
    expect(all).toMatchObject({ object: "list", first_id: ids[0], last_id: ids[3], has_more: false });

    const page = await client.inputItems(second.id, "?limit=2");
    expect([said(page.data), page.has_more, page.last_id]).toEqual([["One", "First."], true, ids[1]]);
    const rest = await client.inputItems(second.id, `?limit=2&after=${page.last_id}`);
    expect([said(rest.data), rest.has_more]).toEqual([["Two", "Three"], false]);
    const back = await client.inputItems(second.id, "?order=desc&limit=3");
    expect([said(back.data), back.has_more]).toEqual([["Three", "Two", "First."], true]);
    const end = await client.inputItems(second.id, `?order=desc&after=${back.last_id}`);
    expect([said(end.data), end.has_more]).toEqual([["One"], false]);
    const none = await client.inputItems(second.id, `?after=${ids[3]}`);
    expect(none).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
  });

  it.each<[string, string]>([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=many", "limit"],
    ["order=up", "order"],
    ["after=msg_never", "after"],
  ])("are rejected with ?%s and the name of the field", async (query, param) => {
    const { client, response } = await stored();
    const { status, body } = await client.send("GET", `/${response.id}/input_items?${query}`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: { param } });
  });

  it("are available while the response is queued", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => [wait.opened, "Good day."], slots: 1 });
    const client = createResponsesClient(server.url);
    await client.create({ input: "Before", background: true });
    const { id, status } = await client.create({ input: "Hello", background: true });
    expect(status).toBe("queued");
    expect(said((await client.inputItems(id)).data)).toEqual(["Hello"]);
  });
});
