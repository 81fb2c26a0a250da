import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { foldCompaction, parseCompactRequest } from "../../../src/dialects/openai-responses/compact.js";
import { compactionSchema } from "../../../src/dialects/openai-responses/response-schema.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";
import { generationOf, errorOf } from "./requests.js";

const identity = {
  id: "cmp_0193a1c25d7e7c409b1f2f6a8d3e4c51",
  created: 1795219300,
  model: ember,
  modelName: ember.manifest.id,
};
const events: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 40, cachedTokens: 0 },
  { type: "reasoning-delta", choice: 0, text: "hm", tokens: 1 },
  { type: "text-delta", choice: 0, text: "They", tokens: 1 },
  { type: "text-delta", choice: 0, text: " met.", tokens: 2 },
  { type: "generation-end", choice: 0, finishReason: "stop", stopSequence: null },
];

function folded(events: readonly GenerationEvent[]) {
  const fold = foldCompaction(identity);
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

describe("a compaction", () => {
  it("requests a summary of the conversation in the last message", () => {
    const request = parseCompactRequest({ model: "m", input: "Hi", instructions: "Be brief.", tools: 5 });
    expect(request).toMatchObject({ model: "m", previousResponseId: null });
    const generation = request.generation(request.input);
    expect(generation.messages.slice(0, -1)).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ]);
    expect(generation.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringMatching(/^Summarise/) as string,
    });
    expect(generation).toMatchObject({ format: { type: "text" }, tools: [], choices: 1 });
    expect(generation.maxTokens).toBeGreaterThan(0);
  });

  it("continues a stored response", () => {
    const request = parseCompactRequest({ model: "m", previous_response_id: "resp_1" });
    expect([request.previousResponseId, request.input]).toEqual(["resp_1", []]);
  });

  it.each([
    [{}, "model"],
    [{ model: "m" }, "input"],
    [{ model: "m", input: [{ role: "user" }] }, "input.0.content"],
    [{ model: "m", input: [{ role: "user", content: [{ type: "input_file" }] }] }, "input.0.content.0"],
  ])("of %j is rejected with the name of the field", (body, param) => {
    expect(errorOf(body, parseCompactRequest).param).toBe(param);
  });

  it("returns one item from which a later conversation can continue", () => {
    const answer = folded(events);
    expect(answer).toMatchObject({
      id: identity.id,
      object: "response.compaction",
      created_at: 1795219300,
      model: "ember-1m",
      output: [{ id: `${identity.id}0000`, type: "compaction" }],
      usage: { input_tokens: 40, output_tokens: 4, total_tokens: 44 },
    });
    expect(compactionSchema.parse(answer)).toEqual(answer);
    const { messages } = generationOf({ input: [...answer.output, { role: "user", content: "And then?" }] });
    expect(messages).toEqual([
      { role: "system", content: expect.stringMatching(/They met\.$/) as string },
      { role: "user", content: "And then?" },
    ]);
  });

  it("fails if the summary is empty", () => {
    const silent = events.filter(({ type }) => type !== "text-delta");
    expect(errorOf(silent, () => folded(silent)).kind).toBe("invalid_output");
  });
});
