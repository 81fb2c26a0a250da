import { join } from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../../src/engine/scripted.js";
import { openDatabase } from "../../../../src/store/database.js";
import { createResponseStore } from "../../../../src/inference/responses/store/responses.js";
import { createWrites } from "../../../../src/store/writes.js";
import { builtInModel, startApp, temporaryFolder, testKey } from "../../../harness.js";
import { compose, gate } from "../../compose.js";
import { askerOf, calls, textOf } from "./responses.js";

/** A server that answers with the number of the answer, and every prompt it was given. */
async function counting() {
  const prompts: string[] = [];
  const server = await compose(
    (prompt) => {
      prompts.push(prompt);
      return [`Answer ${prompts.length}.`];
    },
    { contextTokens: 4096 },
  );
  return { server, prompts, ask: askerOf(server.url) };
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
  it("is answered from the previous input, the previous output and the new input, over several links", async () => {
    const { ask, prompts } = await counting();
    const first = await ask.create({ input: "One", instructions: "Count." });
    const second = await ask.create({ input: "Two", previous_response_id: first.id });
    const third = await ask.create({
      input: "Three",
      previous_response_id: second.id,
      instructions: "Go on.",
    });
    expect(third.previous_response_id).toBe(second.id);
    expect(prompts).toEqual([
      "system: Count.\nuser: One\nassistant:",
      // What the assistant was told to be is not carried over.
      "user: One\nassistant: Answer 1.\nuser: Two\nassistant:",
      "system: Go on.\nuser: One\nassistant: Answer 1.\nuser: Two\nassistant: Answer 2.\nuser: Three\nassistant:",
    ]);
  });

  it("branches: what goes on from one response knows nothing of what else went on from it", async () => {
    const { ask, prompts } = await counting();
    const root = await ask.create({ input: "Root" });
    await ask.create({ input: "Left", previous_response_id: root.id });
    await ask.create({ input: "Right", previous_response_id: root.id });
    expect(prompts[2]).toBe("user: Root\nassistant: Answer 1.\nuser: Right\nassistant:");
  });

  it("goes on from a stored response into one that is not, and no further", async () => {
    const { ask, prompts } = await counting();
    const first = await ask.create({ input: "One" });
    const second = await ask.create({ input: "Two", previous_response_id: first.id, store: false });
    expect(prompts[1]).toBe("user: One\nassistant: Answer 1.\nuser: Two\nassistant:");
    const body = { model: "ember-1m", input: "Three", previous_response_id: second.id };
    expect(await ask.send("POST", "", body)).toMatchObject(notFound(second.id));
  });

  it("takes a response that was cut or failed as far as it came", async () => {
    const steps = [["One", " two", " three"], ["Half", new Error("gone")], ["Whole."]];
    const prompts: string[] = [];
    const server = await compose((prompt) => {
      prompts.push(prompt);
      return steps.shift() ?? [];
    });
    const ask = askerOf(server.url);
    const cut = await ask.create({ input: "Count", max_output_tokens: 2 });
    const frames = await ask.stream({ input: "More", previous_response_id: cut.id });
    const failed = await frames.until("response.failed");
    const { id } = "response" in failed ? failed.response : { id: "" };
    await ask.create({ input: "And?", previous_response_id: id });
    expect(prompts[2]).toBe(
      "user: Count\nassistant: One two\nuser: More\nassistant: Half\nuser: And?\nassistant:",
    );
  });

  it("carries calls and their results over several links", async () => {
    const server = await compose((prompt) => {
      const results = prompt.split("tool:").length - 1;
      return results < 2 ? calls(`call_${results}`, "next", `{"n":${results}}`) : ["Done."];
    });
    const ask = askerOf(server.url);
    const tools = [{ type: "function", name: "next", parameters: { type: "object", properties: {} } }];
    let last = await ask.create({ input: "Count to two.", tools });
    for (const n of [0, 1]) {
      const result = { type: "function_call_output", call_id: `call_${n}`, output: `${n} it is` };
      last = await ask.create({ input: [result], previous_response_id: last.id, tools });
    }
    expect(textOf(last)).toBe("Done.");
    const { data } = await ask.inputItems(last.id);
    expect(data.map((item) => ("call_id" in item ? [item.type, item.call_id] : [item.type]))).toEqual([
      ["message"],
      ["function_call", "call_0"],
      ["function_call_output", "call_0"],
      ["function_call", "call_1"],
      ["function_call_output", "call_1"],
    ]);
  });

  it("is broken by the deletion of a link, which deletes no other", async () => {
    const { ask } = await counting();
    const first = await ask.create({ input: "One" });
    const second = await ask.create({ input: "Two", previous_response_id: first.id });
    const third = await ask.create({ input: "Three", previous_response_id: second.id });
    expect((await ask.send("DELETE", `/${second.id}`)).status).toBe(200);
    expect(await ask.find(first.id)).toEqual(first);
    expect(await ask.find(third.id)).toEqual(third);
    for (const id of [second.id, third.id]) {
      const body = { model: "ember-1m", input: "Four", previous_response_id: id };
      for (const path of ["", "/input_tokens", "/compact"])
        expect(await ask.send("POST", path, body)).toMatchObject(notFound(id));
    }
    await expect(ask.create({ input: "Two", previous_response_id: first.id })).resolves.toBeDefined();
    // What is left of the conversation before it is still told.
    expect((await ask.inputItems(third.id)).data).toMatchObject([{ content: [{ text: "Three" }] }]);
  });

  it("cannot go on from a response that is still made", async () => {
    const wait = gate();
    const server = await compose(() => [wait.opened, "Good day."]);
    const ask = askerOf(server.url);
    const { id } = await ask.create({ input: "Hello", background: true });
    await ask.findAs(id, "in_progress");
    const next = { model: "ember-1m", input: "And?", previous_response_id: id };
    expect(await ask.send("POST", "", next)).toMatchObject(notFound(id));
    wait.open();
    await ask.findAs(id, "completed");
    await expect(ask.create(next)).resolves.toMatchObject({ previous_response_id: id });
  });

  it("is refused when it is longer than its bound, and not before", async () => {
    const data = join(temporaryFolder(), "data");
    const engine = createScriptedEngine(() => ["Yes."], { contextTokens: 100_000 });
    const { url } = await startApp({ HEARTH_DATA: data }, { engine });
    const ask = askerOf(url, testKey, builtInModel);
    const first = await ask.create({ input: "0" });
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
    const longest = await ask.create({ input: "1000", previous_response_id: "resp_1000" });
    const refused = await ask.send("POST", "", {
      model: builtInModel,
      input: "1001",
      previous_response_id: longest.id,
    });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { param: "previous_response_id", message: expect.stringContaining("1000") as string } },
    ]);
    expect((await ask.inputItems(longest.id)).data).toMatchObject([
      { role: "user", content: [{ text: "0" }] },
      { role: "assistant", content: [{ text: "Yes." }] },
      { role: "user", content: [{ text: "1000" }] },
    ]);
  });
});

describe("a reference to an item", () => {
  it("stands for it: input and output items of the team's responses alike", async () => {
    const { ask, prompts } = await counting();
    const first = await ask.create({ input: "One" });
    const question = (await ask.inputItems(first.id)).data[0];
    const [answer] = first.output;
    const input = [
      { type: "item_reference", id: question?.id },
      { id: answer?.id },
      { role: "user", content: "Two" },
    ];
    const second = await ask.create({ input });
    expect(prompts[1]).toBe("user: One\nassistant: Answer 1.\nuser: Two\nassistant:");
    // It is stored as what it stood for: the response that it came from can go.
    await ask.send("DELETE", `/${first.id}`);
    await ask.create({ input: "Three", previous_response_id: second.id });
    expect(prompts[2]).toBe(
      "user: One\nassistant: Answer 1.\nuser: Two\nassistant: Answer 2.\nuser: Three\nassistant:",
    );
  });

  it("to an item that is not there is refused by its place", async () => {
    const { ask } = await counting();
    const first = await ask.create({ input: "One", store: false });
    const input = [
      { role: "user", content: "Two" },
      { type: "item_reference", id: first.output[0]?.id },
    ];
    for (const path of ["", "/input_tokens", "/compact"])
      expect(await ask.send("POST", path, { model: "ember-1m", input })).toMatchObject({
        status: 400,
        body: { error: { param: "input.1.id" } },
      });
  });
});
