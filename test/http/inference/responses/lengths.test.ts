import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompactionBody } from "../../../../src/dialects/openai-responses/response-schema.js";
import { startServer } from "../../../kit/server.js";
import { createResponsesClient, textOf } from "../../../kit/clients/responses.js";

/** A conversation of this many turns of about ten words, and a last question. */
const turns = (count: number) => [
  ...Array.from({ length: count }, (_, at) => [
    { role: "user", content: `Question ${at}: what is the name of it?` },
    { role: "assistant", content: `Answer ${at}: nobody here knows that now.` },
  ]).flat(),
  { role: "user", content: "The last question of all." },
];

/** Starts a server that records its prompts. */
async function recording(contextTokens: number) {
  const prompts: string[] = [];
  const server = await startServer({
    engine: (prompt) => {
      prompts.push(prompt);
      return ["Yes."];
    },
    contextTokens,
  });
  return { server, prompts, client: createResponsesClient(server.url) };
}

describe("a conversation that is too long", () => {
  const long = { instructions: "Be kind.", input: turns(20) };

  it("is rejected with both numbers unless truncation is requested", async () => {
    const { client } = await recording(64);
    for (const truncation of [undefined, "disabled"])
      for (const path of ["", "/input_tokens"]) {
        const refused = await client.send("POST", path, { model: "ember-1m", ...long, truncation });
        expect([refused.status, refused.body]).toMatchObject([
          400,
          {
            error: {
              code: "context_length_exceeded",
              message: expect.stringMatching(/\b63\b.*\b\d{3} tokens/) as string,
            },
          },
        ]);
      }
  });

  it("is answered without its oldest turns with truncation: auto; the instructions and the last turn stay", async () => {
    const { client, prompts } = await recording(64);
    const answer = await client.create({ ...long, truncation: "auto" });
    expect(answer).toMatchObject({ status: "completed", truncation: "auto" });
    expect(prompts[0]).toMatch(
      /^system: Be kind\.\nuser: Question 1\d: .*\nuser: The last question of all\.\nassistant:$/s,
    );
    expect(prompts[0]).toContain("Answer 19");
    // As many turns as fit: one more would leave no tokens for the answer.
    const used = answer.usage?.input_tokens ?? 0;
    expect([used <= 48, used > 48 - 18]).toEqual([true, true]);
  });

  it("is truncated over a chain, too, and stored in full", async () => {
    const { client, prompts } = await recording(64);
    let last = await client.create({ input: "The very first question.", truncation: "auto" });
    for (let at = 0; at < 12; at += 1)
      last = await client.create({
        input: `Question ${at}: what is the name of it?`,
        previous_response_id: last.id,
        truncation: "auto",
      });
    expect(prompts.at(-1)).not.toContain("very first");
    expect(prompts.at(-1)).toMatch(/user: Question 11: what is the name of it\?\nassistant:$/);
    const items = await client.inputItems(last.id, "?limit=100");
    expect(items.data).toHaveLength(25);
  });

  it("is rejected with truncation: auto when the last turn alone is too long", async () => {
    const { client } = await recording(16);
    const input = [...turns(2), { role: "user", content: "word ".repeat(100) }];
    const refused = await client.send("POST", "", { model: "ember-1m", input, truncation: "auto" });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { code: "context_length_exceeded" } },
    ]);
  });
});

describe("POST /v1/responses/input_tokens", () => {
  it("returns the input_tokens that the answer to the same request reports", async () => {
    const { client } = await recording(96);
    const first = await client.create({ input: turns(2) });
    const tool = { type: "function", name: "f", parameters: { type: "object", properties: {} } };
    const request = fc.record(
      {
        input: fc.oneof(
          fc.stringMatching(/^[a-z ]{1,40}[a-z]$/),
          fc.integer({ min: 0, max: 8 }).map((count) => turns(count)),
        ),
        instructions: fc.constantFrom("Be brief.", "Be as kind as you can."),
        previous_response_id: fc.constant(first.id),
        truncation: fc.constantFrom("auto", "disabled"),
        tools: fc.constant([tool]),
        text: fc.constant({ format: { type: "json_object" } }),
        reasoning: fc.constantFrom({ effort: "none" }, { effort: "high" }),
      },
      { requiredKeys: ["input"] },
    );
    let fitting = 0;
    await fc.assert(
      fc.asyncProperty(request, async (fields) => {
        const body = { model: "ember-1m", store: false, ...fields, text: undefined };
        const counted = await client.send("POST", "/input_tokens", body);
        const answered = await client.send("POST", "", body);
        if (counted.status === 200) {
          fitting += 1;
          const { usage } = answered.body as { usage: { input_tokens: number } };
          expect(counted.body).toEqual({ object: "response.input_tokens", input_tokens: usage.input_tokens });
        } else expect([counted.status, counted.body]).toEqual([answered.status, answered.body]);
      }),
      { numRuns: 60 },
    );
    expect(fitting).toBeGreaterThan(20);
  });

  it("stores and generates nothing", async () => {
    const { client, server } = await recording(64);
    const { status } = await client.send("POST", "/input_tokens", { model: "ember-1m", input: "Hello" });
    expect([status, server.engine.jobs.length, (await server.records()).length]).toEqual([200, 0, 0]);
  });
});

describe("POST /v1/responses/compact", () => {
  it("returns an item that replaces the conversation in a later request", async () => {
    const prompts: string[] = [];
    const server = await startServer({
      engine: (prompt) => {
        prompts.push(prompt);
        return [prompt.includes("Summarise") ? "Ada asked for tea." : "Tea it is."];
      },
    });
    const client = createResponsesClient(server.url);
    const first = await client.create({ input: "I am Ada. Tea, please." });
    const { body, status } = await client.send("POST", "/compact", {
      model: "ember-1m",
      previous_response_id: first.id,
      input: [{ role: "user", content: "Soon?" }],
    });
    expect(status).toBe(200);
    const compaction = body as CompactionBody;
    expect(compaction).toMatchObject({
      object: "response.compaction",
      model: "ember-1m",
      usage: { output_tokens: 4 },
    });
    expect(prompts[1]).toMatch(/^user: I am Ada.*\nassistant: Tea it is\.\nuser: Soon\?\nuser: Summarise/s);
    const next = await client.create({
      input: [...compaction.output, { role: "user", content: "And milk?" }],
    });
    expect(textOf(next)).toBe("Tea it is.");
    expect(prompts[2]).toMatch(/^system: [^\n]+\n\nAda asked for tea\.\nuser: And milk\?\nassistant:$/);
    // It is an item like any other: it is stored and can be continued.
    await client.create({ input: "Thanks.", previous_response_id: next.id });
    expect(prompts[3]).toMatch(
      /Ada asked for tea\.\nuser: And milk\?\nassistant: Tea it is\.\nuser: Thanks\./,
    );
    expect((await client.send("GET", `/${compaction.id}`)).status).toBe(404);
    expect(await server.records()).toHaveLength(4);
  });

  it("returns 500 when the model says nothing, and rejects an item of another server", async () => {
    const server = await startServer({ engine: () => [" "] });
    const client = createResponsesClient(server.url);
    const silent = await client.send("POST", "/compact", { model: "ember-1m", input: "Hello" });
    expect([silent.status, silent.body]).toMatchObject([500, { error: { code: "invalid_output" } }]);
    const foreign = [{ type: "compaction", encrypted_content: "gAAAA" }];
    const refused = await client.send("POST", "", { model: "ember-1m", input: foreign });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { param: "input.0.encrypted_content" } },
    ]);
  });
});
