import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationRequest, Message } from "../../../src/core/generation.js";
import { noTools } from "../../../src/core/generation.js";
import type { Engine, Prompt } from "../../../src/core/engine.js";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { fittingPrompt } from "../../../src/inference/prompt/fitting.js";
import { ember } from "../../kit/scripted/ember.js";

/** A request for an answer of at most so many tokens to these messages. */
function requestOf(messages: readonly Message[], maxTokens: number | null = null): GenerationRequest {
  return {
    model: "ember-1m",
    messages,
    truncate: true,
    tools: [],
    toolChoice: noTools,
    format: { type: "text" },
    reasoningEffort: "default",
    sampling: {
      temperature: 1,
      topP: 1,
      seed: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      topK: null,
      minP: 0,
      logitBias: {},
    },
    topLogprobs: null,
    choices: 1,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
}

/** The part of a conversation that is in its prompt, and the prompt's length. */
async function fit(contextTokens: number, messages: readonly Message[], maxTokens: number | null = null) {
  const requested: (readonly Message[])[] = [];
  const scripted = createScriptedEngine(() => [], { contextTokens });
  const messagesOf = new Map<Prompt, readonly Message[]>();
  const engine: Engine = {
    load: (model) => scripted.load(model),
    async prompt(model, source) {
      const kept = "messages" in source ? source.messages : [];
      requested.push(kept);
      const prompt = await scripted.prompt(model, source);
      messagesOf.set(prompt, kept);
      return prompt;
    },
    tokenize: (model, text) => scripted.tokenize(model, text),
    generate: (model, job, signal) => scripted.generate(model, job, signal),
    residents: () => scripted.residents(),
    problem: () => null,
    close: () => scripted.close(),
  };
  const loaded = await engine.load(ember);
  const { prompt, messages: used } = await fittingPrompt(
    engine,
    ember,
    loaded,
    requestOf(messages, maxTokens),
  );
  expect(used).toEqual(messagesOf.get(prompt));
  return { kept: messagesOf.get(prompt) ?? [], tokens: prompt.tokens.length, prompts: requested.length };
}

const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(" ");

/** One turn: a question, perhaps calls with their results, perhaps with another question before a result; an answer. */
const turn = fc.record({
  question: fc.nat({ max: 12 }).map(words),
  calls: fc.nat({ max: 2 }),
  interrupts: fc.boolean(),
  answer: fc.nat({ max: 12 }).map(words),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function messagesOf({ question, calls, interrupts, answer }: Turn, at: number): readonly Message[] {
  const ids = Array.from({ length: calls }, (_, call) => `call_${at}_${call}`);
  return [
    { role: "user", content: question },
    ...(calls === 0
      ? []
      : [
          {
            role: "assistant" as const,
            content: "",
            toolCalls: ids.map((id) => ({ id, name: "f", arguments: "{}" })),
          },
        ]),
    ...(interrupts && calls > 0 ? [{ role: "user" as const, content: "Hurry." }] : []),
    ...ids.map((id) => ({ role: "tool" as const, content: "done", toolCallId: id })),
    { role: "assistant", content: answer },
  ];
}

const conversation = fc
  .record({
    system: fc.array(fc.nat({ max: 6 }).map(words), { maxLength: 2 }),
    turns: fc.array(turn, { maxLength: 8 }),
    last: fc.nat({ max: 12 }).map(words),
  })
  .map(({ system, turns, last }): readonly Message[] => [
    ...system.map((content): Message => ({ role: "system", content })),
    ...turns.flatMap(messagesOf),
    { role: "user", content: last },
  ]);

describe("a conversation that may be truncated", () => {
  it("keeps its leading system messages and an unbroken end with the call of every result, and as many turns as fit", async () => {
    let [cut, whole] = [0, 0];
    await fc.assert(
      fc.asyncProperty(conversation, fc.integer({ min: 24, max: 160 }), async (messages, contextTokens) => {
        const fitted = await fit(contextTokens, messages).catch(() => null);
        if (fitted === null) return;
        const { kept } = fitted;
        const system = messages.filter(({ role }) => role === "system");
        expect(kept.slice(0, system.length)).toEqual(system);
        const rest = kept.slice(system.length);
        expect(rest).toEqual(messages.slice(messages.length - rest.length));
        expect(rest.at(-1)).toBe(messages.at(-1));
        expect(rest[0]?.role).toBe("user");
        const called = rest.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
        for (const { toolCallId } of rest) if (toolCallId !== undefined) expect(called).toContain(toolCallId);
        if (kept.length === messages.length) whole += 1;
        else cut += 1;
      }),
      { numRuns: 300 },
    );
    expect([cut > 30, whole > 30]).toEqual([true, true]);
  });

  it("loses no more turns than necessary", async () => {
    const turns = Array.from({ length: 10 }, (_, at): readonly Message[] => [
      { role: "user", content: `${at} ${words(4)}` },
      { role: "assistant", content: words(4) },
    ]).flat();
    const messages: readonly Message[] = [...turns, { role: "user", content: "Now?" }];
    // A turn is 11 tokens, the end 3; a quarter of the context is for the answer.
    for (const [contextTokens, left] of [
      [40, 2],
      [64, 4],
      [150, 10],
      [151, 10],
    ] as const) {
      const { kept, tokens } = await fit(contextTokens, messages);
      expect([contextTokens, kept.length, tokens]).toEqual([contextTokens, 2 * left + 1, 11 * left + 3]);
    }
    // A request for a shorter answer keeps more turns.
    expect((await fit(40, messages, 3)).kept).toHaveLength(7);
  });

  it("builds few prompts, however many turns there are", async () => {
    const turns = Array.from({ length: 500 }, (_, at): Message => ({
      role: "user",
      content: `${at} ${words(4)}`,
    }));
    expect((await fit(100, turns)).prompts).toBeLessThanOrEqual(12);
  });

  it("shortens the answer rather than leaving out the last turn, and is rejected when that does not fit either", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: words(50) },
      { role: "assistant", content: "Yes." },
      { role: "user", content: words(30) },
    ];
    const { kept, tokens } = await fit(36, messages);
    expect([kept, tokens]).toEqual([messages.slice(2), 32]);
    await expect(fit(32, messages)).rejects.toMatchObject({ kind: "context_length_exceeded" });
  });
});
