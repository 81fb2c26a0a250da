import { describe, expect, it } from "vitest";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startServer } from "../../../kit/server.js";
import { createResponsesClient, lastResponse, textOf } from "../../../kit/clients/responses.js";

const long = "word ".repeat(1_200).trim();
const context_management = [{ type: "compaction", compact_threshold: 1_000 }];

/** A server whose model summarizes in three words when it is asked for that. */
async function start(summary = "Ada likes owls.") {
  const prompts: string[] = [];
  const server = await startServer({
    engine: (prompt) => {
      prompts.push(prompt);
      return prompt.includes("Summarise our conversation") ? summary.split(/(?= )/) : ["An owl."];
    },
    contextTokens: 8_192,
  });
  return { server, prompts, client: createResponsesClient(server.url) };
}

const history = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: long },
  { role: "assistant", content: "I see." },
  { role: "user", content: "Which animal?" },
];
const compactedPrompt =
  "system: Be kind.\nsystem: Be brief.\nsystem: What was said before, in short:\n\nAda likes owls.\nuser: Which animal?\nassistant:";

describe("context_management of /v1/responses", () => {
  it("summarizes a conversation above the threshold, answers from the summary, and returns it as an item", async () => {
    const { prompts, client, server } = await start();
    const request = { input: history, instructions: "Be kind.", context_management };
    const response = await client.create(request);
    expect(response.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(textOf(response)).toBe("An owl.");
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toBe(compactedPrompt);
    const [run, ...others] = await server.records();
    expect(others).toEqual([]);
    expect(run?.usage.promptTokens).toBe(
      server.engine.jobs.reduce((sum, { prompt }) => sum + prompt.tokens.length, 0),
    );
    expect(response.usage).toMatchObject({ output_tokens: 3 + 2, cost_in_usd_ticks: run?.costTicks });
  });

  it("begins the answer with a last message that is continued, and not the summary, which may end before min_tokens", async () => {
    const { prompts, client, server } = await start();
    const input = [...history, { role: "assistant", content: "A wise" }];
    await client.create({ input, context_management, continue_final_message: true, min_tokens: 9 });
    expect(prompts[0]).toMatch(/\nassistant:$/);
    expect(prompts[1]).toBe(`${compactedPrompt.replace("system: Be kind.\n", "")} A wise`);
    expect(server.engine.jobs.map(({ minTokens }) => minTokens)).toEqual([undefined, 9]);
  });

  it("streams the same, and stores it", async () => {
    const { client } = await start();
    const frames = await client.stream({ input: history, context_management });
    const events = await frames.events();
    const { items, last } = readStream(events);
    expect(items.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(await client.find(lastResponse(events).id)).toEqual(last);
  });

  it("lets a later response continue from the item, in a chain and as input, without what came before", async () => {
    const { prompts, client } = await start();
    const first = await client.create({ input: history, context_management });
    const next = { role: "user", content: "Why?" };
    const expected =
      "system: Be brief.\nsystem: What was said before, in short:\n\nAda likes owls.\nassistant: An owl.\nuser: Why?\nassistant:";
    for (const request of [
      { previous_response_id: first.id, input: [next] },
      { input: [...history, ...first.output, next] },
    ]) {
      await client.create({ ...request, context_management });
      expect(prompts.at(-1)).toBe(expected);
    }
    expect(prompts).toHaveLength(4);
  });

  it("changes nothing up to the threshold, or where the model writes no summary", async () => {
    const below = await start();
    const short = [{ type: "compaction", compact_threshold: 5_000 }];
    const untouched = await below.client.create({ input: history, context_management: short });
    expect(untouched.output.map(({ type }) => type)).toEqual(["message"]);
    const silent = await start("");
    const response = await silent.client.create({ input: history, context_management });
    expect(response.output.map(({ type }) => type)).toEqual(["message"]);
    expect(silent.prompts[1]).toContain(long);
  });

  it("answers from the whole conversation where the summary would be cut", async () => {
    const endless = await start("and ".repeat(5_000));
    const longer = [{ role: "user", content: "word ".repeat(3_000).trim() }, ...history];
    const response = await endless.client.create({ input: longer, context_management });
    expect(response.output.map(({ type }) => type)).toEqual(["message"]);
    expect(endless.prompts[1]).toContain(long);
    const [run] = await endless.server.records();
    expect(response.usage).toMatchObject({ cost_in_usd_ticks: run?.costTicks });
    expect(run?.usage.promptTokens).toBe(
      endless.server.engine.jobs.reduce((sum, { prompt }) => sum + prompt.tokens.length, 0),
    );
  });

  it("answers from the whole conversation where it leaves no room for a summary, and rejects one that does not fit", async () => {
    const { prompts, client } = await start();
    const nearlyFull = [{ role: "user", content: "word ".repeat(7_900).trim() }];
    const response = await client.create({ input: nearlyFull, context_management });
    expect(response.output.map(({ type }) => type)).toEqual(["message"]);
    expect(prompts).toHaveLength(1);
    const full = [{ role: "user", content: "word ".repeat(9_000).trim() }];
    const refused = await client.send("POST", "", { model: "ember-1m", input: full, context_management });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "context_length_exceeded" } } });
  });

  it("summarizes while there is room for a summary, also below a threshold that the context does not reach", async () => {
    const { prompts, client } = await start();
    const never = [{ type: "compaction", compact_threshold: 200_000 }];
    const request = { input: history, instructions: "Be kind.", context_management: never };
    expect((await client.create(request)).output.map(({ type }) => type)).toEqual(["message"]);
    const longer = [{ role: "user", content: "word ".repeat(4_800).trim() }, ...history];
    const response = await client.create({ ...request, input: longer });
    expect(response.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(prompts.at(-1)).not.toContain("word");
  });

  it("keeps the answer within max_output_tokens, with or without a summary", async () => {
    for (const summary of ["Ada likes owls.", "and ".repeat(5_000)]) {
      const { client } = await start(summary);
      const response = await client.create({ input: history, context_management, max_output_tokens: 1 });
      expect(response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      });
    }
  });

  it.each([
    [[{ type: "other" }], "context_management.0.type"],
    [[{ type: "compaction" }], "context_management.0.compact_threshold"],
    [[{ type: "compaction", compact_threshold: 10 }], "context_management.0.compact_threshold"],
    [[...context_management, ...context_management], "context_management"],
  ])("rejects %j by the name of the field", async (given, param) => {
    const { client } = await start();
    const { status, body } = await client.send("POST", "", {
      model: "ember-1m",
      input: "Hello",
      context_management: given,
    });
    expect([400, 422]).toContain(status);
    expect(body).toMatchObject({ error: { param } });
  });
});
