import { join } from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { openDatabase } from "../../../../src/store/database.js";
import { createResponseStore } from "../../../../src/inference/responses/store/responses.js";
import { createWrites } from "../../../../src/store/writes.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { gate } from "../../../kit/until.js";
import { createResponsesClient, toolCallSteps, textOf } from "../../../kit/clients/responses.js";

/** Starts a server that returns the number of the answer, and records every prompt. */
async function counting() {
  const prompts: string[] = [];
  const server = await startServer({
    engine: (prompt) => {
      prompts.push(prompt);
      return [`Answer ${prompts.length}.`];
    },
    contextTokens: 4096,
  });
  return { server, prompts, client: createResponsesClient(server.url) };
}

const notFound = (id: string) => ({
  status: 400,
  body: {
    error: {
      code: "previous_response_not_found",
      param: "previous_response_id",
      message: `Previous response with id '${id}' not found.`,
    },
  },
});

describe("a chain of responses", () => {
  it("builds the prompt from the previous input, the previous output and the new input, over several responses", async () => {
    const { client, prompts } = await counting();
    const first = await client.create({ input: "One", instructions: "Count." });
    const second = await client.create({ input: "Two", previous_response_id: first.id });
    const third = await client.create({
      input: "Three",
      previous_response_id: second.id,
      instructions: "Go on.",
    });
    expect(third.previous_response_id).toBe(second.id);
    expect(prompts).toEqual([
      "system: Count.\nuser: One\nassistant:",
      // Instructions are not carried over.
      "user: One\nassistant: Answer 1.\nuser: Two\nassistant:",
      "system: Go on.\nuser: One\nassistant: Answer 1.\nuser: Two\nassistant: Answer 2.\nuser: Three\nassistant:",
    ]);
  });

  it("can branch: continuations of the same response do not see each other", async () => {
    const { client, prompts } = await counting();
    const root = await client.create({ input: "Root" });
    await client.create({ input: "Left", previous_response_id: root.id });
    await client.create({ input: "Right", previous_response_id: root.id });
    expect(prompts[2]).toBe("user: Root\nassistant: Answer 1.\nuser: Right\nassistant:");
  });

  it("can end in a response that is not stored, which cannot be continued", async () => {
    const { client, prompts } = await counting();
    const first = await client.create({ input: "One" });
    const second = await client.create({ input: "Two", previous_response_id: first.id, store: false });
    expect(prompts[1]).toBe("user: One\nassistant: Answer 1.\nuser: Two\nassistant:");
    const body = { model: "ember-1m", input: "Three", previous_response_id: second.id };
    expect(await client.send("POST", "", body)).toMatchObject(notFound(second.id));
  });

  it("includes the partial output of a cut or failed response", async () => {
    const steps = [["One", " two", " three"], ["Half", new Error("gone")], ["Whole."]];
    const prompts: string[] = [];
    const server = await startServer({
      engine: (prompt) => {
        prompts.push(prompt);
        return steps.shift() ?? [];
      },
    });
    const client = createResponsesClient(server.url);
    const cut = await client.create({ input: "Count", max_output_tokens: 2 });
    const frames = await client.stream({ input: "More", previous_response_id: cut.id });
    const failed = await frames.until("response.failed");
    const { id } = "response" in failed ? failed.response : { id: "" };
    await client.create({ input: "And?", previous_response_id: id });
    expect(prompts[2]).toBe(
      "user: Count\nassistant: One two\nuser: More\nassistant: Half\nuser: And?\nassistant:",
    );
  });

  it("carries tool calls and their results over several responses", async () => {
    const server = await startServer({
      engine: (prompt) => {
        const results = prompt.split("tool:").length - 1;
        return results < 2 ? toolCallSteps(`call_${results}`, "next", `{"n":${results}}`) : ["Done."];
      },
    });
    const client = createResponsesClient(server.url);
    const tools = [{ type: "function", name: "next", parameters: { type: "object", properties: {} } }];
    let last = await client.create({ input: "Count to two.", tools });
    for (const n of [0, 1]) {
      const result = { type: "function_call_output", call_id: `call_${n}`, output: `${n} it is` };
      last = await client.create({ input: [result], previous_response_id: last.id, tools });
    }
    expect(textOf(last)).toBe("Done.");
    const { data } = await client.inputItems(last.id);
    expect(data.map((item) => ("call_id" in item ? [item.type, item.call_id] : [item.type]))).toEqual([
      ["message"],
      ["function_call", "call_0"],
      ["function_call_output", "call_0"],
      ["function_call", "call_1"],
      ["function_call_output", "call_1"],
    ]);
  });

  it("is broken by the deletion of a response, which deletes no other response", async () => {
    const { client } = await counting();
    const first = await client.create({ input: "One" });
    const second = await client.create({ input: "Two", previous_response_id: first.id });
    const third = await client.create({ input: "Three", previous_response_id: second.id });
    expect((await client.send("DELETE", `/${second.id}`)).status).toBe(200);
    expect(await client.find(first.id)).toEqual(first);
    expect(await client.find(third.id)).toEqual(third);
    for (const id of [second.id, third.id]) {
      const body = { model: "ember-1m", input: "Four", previous_response_id: id };
      for (const path of ["", "/input_tokens", "/compact"])
        expect(await client.send("POST", path, body)).toMatchObject(notFound(id));
    }
    await expect(client.create({ input: "Two", previous_response_id: first.id })).resolves.toBeDefined();
    // The remaining items of the conversation are still listed.
    expect((await client.inputItems(third.id)).data).toMatchObject([{ content: [{ text: "Three" }] }]);
  });

  it("cannot continue an unfinished response", async () => {
    const wait = gate();
    const server = await startServer({ engine: () => [wait.opened, "Good day."] });
    const client = createResponsesClient(server.url);
    const { id } = await client.create({ input: "Hello", background: true });
    await client.findAs(id, "in_progress");
    const next = { model: "ember-1m", input: "And?", previous_response_id: id };
    expect(await client.send("POST", "", next)).toMatchObject(notFound(id));
    wait.open();
    await client.findAs(id, "completed");
    await expect(client.create(next)).resolves.toMatchObject({ previous_response_id: id });
  });

  it("is rejected when it is longer than its limit, and not before", async () => {
    const data = join(temporaryFolder(), "data");
    const engine = createScriptedEngine(() => ["Yes."], { contextTokens: 100_000 });
    const { url } = await startServer({ environment: { HEARTH_DATA: data }, engine });
    const client = createResponsesClient(url, testKey, builtInModel);
    const first = await client.create({ input: "0" });
    const database = await openDatabase(join(data, "hearth.db"));
    onTestFinished(() => database.close());
    const store = createResponseStore(database);
    const { id: teamId } = await database.kysely.selectFrom("teams").select("id").executeTakeFirstOrThrow();
    const stored = await store.find(first.id, teamId);
    if (stored === null) throw new Error("not stored");
    const link = (at: number) =>
      store.insertion(
        { ...stored, id: `resp_${at}`, previousId: at === 2 ? first.id : `resp_${at - 1}` },
        [],
        [],
      );
    const links = Array.from({ length: 999 }, (_, at) => link(at + 2));
    await createWrites(database).commit(links.flat());
    const longest = await client.create({ input: "1000", previous_response_id: "resp_1000" });
    const refused = await client.send("POST", "", {
      model: builtInModel,
      input: "1001",
      previous_response_id: longest.id,
    });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { param: "previous_response_id", message: expect.stringContaining("1000") as string } },
    ]);
    expect((await client.inputItems(longest.id)).data).toMatchObject([
      { role: "user", content: [{ text: "0" }] },
      { role: "assistant", content: [{ text: "Yes." }] },
      { role: "user", content: [{ text: "1000" }] },
    ]);
  });
});

describe("a reference to an item", () => {
  it("is replaced by the item: input and output items of the team's responses", async () => {
    const { client, prompts } = await counting();
    const first = await client.create({ input: "One" });
    const question = (await client.inputItems(first.id)).data[0];
    const [answer] = first.output;
    const input = [
      { type: "item_reference", id: question?.id },
      { id: answer?.id },
      { role: "user", content: "Two" },
    ];
    const second = await client.create({ input });
    expect(prompts[1]).toBe("user: One\nassistant: Answer 1.\nuser: Two\nassistant:");
    // The item itself is stored, so that the original response can be deleted.
    await client.send("DELETE", `/${first.id}`);
    await client.create({ input: "Three", previous_response_id: second.id });
    expect(prompts[2]).toBe(
      "user: One\nassistant: Answer 1.\nuser: Two\nassistant: Answer 2.\nuser: Three\nassistant:",
    );
  });

  it("is rejected with its position when the item does not exist", async () => {
    const { client } = await counting();
    const first = await client.create({ input: "One", store: false });
    const input = [
      { role: "user", content: "Two" },
      { type: "item_reference", id: first.output[0]?.id },
    ];
    for (const path of ["", "/input_tokens", "/compact"])
      expect(await client.send("POST", path, { model: "ember-1m", input })).toMatchObject({
        status: 400,
        body: { error: { param: "input.1.id" } },
      });
  });
});
