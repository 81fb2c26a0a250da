import { describe, expect, it } from "vitest";
import { readStream } from "../../../dialects/openai-responses/reader.js";
import { startScriptedApp } from "../../../scripted-app.js";
import { createResponsesClient, lastResponse, textOf } from "./responses.js";

const long = "word ".repeat(1_200).trim();
const context_management = [{ type: "compaction", compact_threshold: 1_000 }];

/** A server whose model summarizes in three words when it is asked for that. */
async function start(summary = "Ada likes owls.") {
  const prompts: string[] = [];
  const server = await startScriptedApp(
    (prompt) => {
      prompts.push(prompt);
      return prompt.includes("Summarise our conversation") ? [summary] : ["An owl."];
    },
    { contextTokens: 8_192 },
  );
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
