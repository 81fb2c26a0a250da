import type OpenAI from "openai";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { createResponsesClient, toolCallSteps } from "../../../kit/clients/responses.js";
import { itemsOf, model, openaiClient, said, textsOf } from "../../../kit/clients/conversations.js";

/** Starts a server that returns the number of the answer, and records every prompt. */
async function counting() {
  const prompts: string[] = [];
  const server = await startServer({
    engine: (prompt) => [`Answer ${prompts.push(prompt)}.`],
    contextTokens: 4096,
  });
  return { server, prompts, client: openaiClient(server.url) };
}

/** Waits until a background response has this status. */
async function awaitStatus(client: OpenAI, id: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect((await client.responses.retrieve(id)).status).toBe(status), {
    interval: 5,
    timeout: 30_000,
  });
}

const locked = { status: 400, code: "conversation_locked", param: "conversation" };

describe("a response in a conversation", () => {
  it("is generated from its items, and adds its input and output to them", async () => {
    const { client, prompts } = await counting();
    const { id } = await client.conversations.create({ items: [said("My name is Ada.")] });
    const first = await client.responses.create({
      model,
      input: "One",
      conversation: id,
      instructions: "Count.",
    });
    expect(first.conversation).toEqual({ id });
    const second = await client.responses.create({ model, input: [said("Two")], conversation: { id } });
    expect(prompts).toEqual([
      "system: Count.\nuser: My name is Ada.\nuser: One\nassistant:",
      "user: My name is Ada.\nuser: One\nassistant: Answer 1.\nuser: Two\nassistant:",
    ]);
    const items = await itemsOf(client, id);
    expect(textsOf(items)).toEqual(["My name is Ada.", "One", "Answer 1.", "Two", "Answer 2."]);
    expect([items[2], items[4]]).toEqual([first.output[0], second.output[0]]);
    expect(await client.responses.retrieve(second.id)).toMatchObject({ conversation: { id } });
  });

  it("is added alike when it is streamed or generated in the background", async () => {
    const { client } = await counting();
    const { id } = await client.conversations.create();
    const stream = await client.responses.create({ model, input: "One", conversation: id, stream: true });
    const types = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(-1)).toBe("response.completed");
    const background = await client.responses.create({
      model,
      input: "Two",
      conversation: id,
      background: true,
    });
    expect(background.conversation).toEqual({ id });
    await awaitStatus(client, background.id, "completed");
    const followed = await client.responses.create({
      model,
      input: "Three",
      conversation: id,
      background: true,
      stream: true,
    });
    for await (const event of followed) types.push(event.type);
    expect(textsOf(await itemsOf(client, id))).toEqual([
      ...["One", "Answer 1.", "Two", "Answer 2.", "Three", "Answer 3."],
    ]);
  });

  it("may have no input when the conversation has items, and must have some when it has none", async () => {
    const { client, prompts } = await counting();
    const { id } = await client.conversations.create({ items: [said("Hello")] });
    await client.responses.create({ model, conversation: id });
    expect(prompts).toEqual(["user: Hello\nassistant:"]);
    const empty = await client.conversations.create();
    await expect(client.responses.create({ model, conversation: empty.id })).rejects.toMatchObject({
      status: 400,
      param: "input",
    });
  });

  it("carries tool calls and their results", async () => {
    const server = await startServer({
      engine: (prompt) => (prompt.includes("tool:") ? ["Rain."] : toolCallSteps("call_1", "weather", "{}")),
    });
    const client = openaiClient(server.url);
    const tools = [
      {
        type: "function" as const,
        name: "weather",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ];
    const { id } = await client.conversations.create();
    await client.responses.create({ model, input: "Weather?", conversation: id, tools });
    const output = { type: "function_call_output" as const, call_id: "call_1", output: "It rains" };
    const last = await client.responses.create({ model, input: [output], conversation: id, tools });
    expect(last.output_text).toBe("Rain.");
    expect((await itemsOf(client, id)).map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "message",
    ]);
  });

  it("adds nothing when it fails or is cancelled, and its partial answer when it is cut at its limit", async () => {
    const wait = gate();
    const server = await startServer({
      engine: (prompt) => {
        if (prompt.includes("Fail")) return ["Half", new Error("gone")];
        return prompt.includes("Wait") ? ["Half", wait.opened] : ["One", " two", " three"];
      },
    });
    const client = openaiClient(server.url);
    const { id } = await client.conversations.create();
    await expect(client.responses.create({ model, input: "Fail", conversation: id })).rejects.toThrow();
    const background = await client.responses.create({
      model,
      input: "Wait",
      conversation: id,
      background: true,
    });
    await awaitStatus(client, background.id, "in_progress");
    await client.responses.cancel(background.id);
    expect(await itemsOf(client, id)).toEqual([]);
    const cut = await client.responses.create({
      model,
      input: "Cut",
      conversation: id,
      max_output_tokens: 2,
    });
    expect(cut.status).toBe("incomplete");
    expect(textsOf(await itemsOf(client, id))).toEqual(["Cut", "One two"]);
    wait.open();
  });

  it("is counted with the items of the conversation", async () => {
    const { client } = await counting();
    const { id } = await client.conversations.create({ items: [said("one two three four five")] });
    const count = async (more: object) =>
      (await client.responses.inputTokens.count({ model, input: "Hello", ...more })).input_tokens;
    expect(await count({ conversation: id })).toBeGreaterThan(await count({}));
    expect(textsOf(await itemsOf(client, id))).toEqual(["one two three four five"]);
  });

  it("is the only one at a time, whole or in the background, and the next one follows at once", async () => {
    const waits = [gate(), gate()];
    const server = await startServer({
      engine: (prompt) => {
        const wait = prompt.endsWith("user: Wait\nassistant:") ? waits[0] : waits[1];
        return prompt.includes("Wait") ? ["Good", wait?.opened ?? "", " day."] : ["Yes."];
      },
    });
    const client = openaiClient(server.url);
    const { id } = await client.conversations.create();
    const request = { model, input: "More", conversation: id };
    const run = server.nextRun();
    const whole = client.responses.create({ model, input: "Wait", conversation: id });
    await run;
    for (const more of [{}, { background: true }])
      await expect(client.responses.create({ ...request, ...more })).rejects.toMatchObject(locked);
    // Another conversation is free.
    const other = await client.conversations.create();
    await client.responses.create({ ...request, conversation: other.id });
    waits[0]?.open();
    await whole;
    const background = await client.responses.create({ ...request, input: "Wait more", background: true });
    await expect(client.responses.create(request)).rejects.toMatchObject(locked);
    waits[1]?.open();
    await awaitStatus(client, background.id, "completed");
    await expect(client.responses.create(request)).resolves.toMatchObject({ status: "completed" });
  });

  it("frees the conversation when its client leaves or it is refused", async () => {
    const wait = gate();
    const server = await startServer({
      engine: (prompt) => (prompt.includes("Wait") ? ["Half", wait.opened] : ["Yes."]),
    });
    const client = openaiClient(server.url);
    const { id } = await client.conversations.create();
    const leaving = await createResponsesClient(server.url).stream({ input: "Wait", conversation: id });
    await leaving.until("response.output_text.delta");
    leaving.leave();
    await until(() => server.app.liveRuns.size === 0);
    await expect(
      client.responses.create({ model: "absent", input: "Hello", conversation: id }),
    ).rejects.toMatchObject({ status: 404 });
    const tooLong = "word ".repeat(300);
    await expect(client.responses.create({ model, input: tooLong, conversation: id })).rejects.toMatchObject({
      code: "context_length_exceeded",
    });
    await client.responses.create({ model, input: "Hello", conversation: id });
    expect(textsOf(await itemsOf(client, id))).toEqual(["Hello", "Yes."]);
    wait.open();
  });

  it("adds nothing to a conversation that was deleted meanwhile, and is stored all the same", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
    const client = openaiClient(server.url);
    const { id } = await client.conversations.create();
    const run = server.nextRun();
    const created = client.responses.create({ model, input: "Hello", conversation: id });
    await run;
    await client.conversations.delete(id);
    wait.open();
    expect(await client.responses.retrieve((await created).id)).toMatchObject({ output_text: "Good day." });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it("is added once when the server stopped over it, and keeps the conversation reserved until then", async () => {
    const data = join(temporaryFolder(), "data");
    const serve = async (waits: boolean) => {
      const engine = createScriptedEngine(() => ["Good", waits ? gate().opened : "", " day."]);
      const { app, url } = await startServer({ environment: { HEARTH_DATA: data }, engine });
      return { app, client: openaiClient(url, testKey) };
    };
    const first = await serve(true);
    const { id } = await first.client.conversations.create({ items: [said("One")] });
    const request = { model: builtInModel, conversation: id };
    const background = await first.client.responses.create({ ...request, input: "Two", background: true });
    await awaitStatus(first.client, background.id, "in_progress");
    await first.app.close();
    const second = await serve(false);
    await awaitStatus(second.client, background.id, "completed");
    expect(textsOf(await itemsOf(second.client, id))).toEqual(["One", "Two", "Good day."]);
    await second.client.responses.create({ ...request, input: "Three" });
    expect(await itemsOf(second.client, id)).toHaveLength(5);
  });
});

describe("a response is refused", () => {
  it.each([
    [{ previous_response_id: "resp_1" }, 400, "conversation"],
    [{ store: false }, 400, "conversation"],
    [{ conversation: 7 }, 422, "conversation"],
    [{ conversation: {} }, 422, "conversation.id"],
    [{ conversation: "conv_never" }, 404, "conversation_id"],
    [{ conversation: "conv_never", background: true }, 404, "conversation_id"],
  ])("with the name of the field: %j", async (more, status, param) => {
    const { server } = await counting();
    const client = createResponsesClient(server.url);
    const { id } = await openaiClient(server.url).conversations.create();
    const answer = await client.send("POST", "", { model, input: "Hello", conversation: id, ...more });
    expect([answer.status, answer.body]).toMatchObject([status, { error: { param } }]);
  });

  it("with an item that the conversation has already", async () => {
    const { client } = await counting();
    const { id } = await client.conversations.create({ items: [said("One")] });
    const [item] = await itemsOf(client, id);
    const input = [{ type: "item_reference" as const, id: item?.id ?? "" }];
    await expect(client.responses.create({ model, input, conversation: id })).rejects.toMatchObject({
      status: 400,
    });
  });

  it("when it continues a response of a conversation by its id, because that is without the items before it", async () => {
    const { client } = await counting();
    const { id } = await client.conversations.create({ items: [said("One")] });
    const response = await client.responses.create({ model, input: "Two", conversation: id });
    await expect(
      client.responses.create({ model, input: "Three", previous_response_id: response.id }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(id) as string });
  });
});

describe("E13: a conversation of another team", () => {
  it("is the same as none", async () => {
    const { client, server } = await counting();
    const mallory = openaiClient(server.url, keys.mallory);
    const { id } = await client.conversations.create({ items: [said("One")] });
    for (const conversation of [id, `${id.slice(0, -4)}ffff`])
      await expect(mallory.responses.create({ model, input: "Two", conversation })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining(`'${conversation}' not found`) as string,
      });
    expect(textsOf(await itemsOf(client, id))).toEqual(["One"]);
  });
});
