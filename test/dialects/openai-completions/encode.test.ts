import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../../../src/dialects/openai-completions/encode.js";
import type { Completion } from "../../../src/dialects/openai-completions/wire.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { ember } from "../model.js";

const identity: CompletionIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  choices: 2,
  tellsLogprobs: true,
  choicesToldEach: 1,
  choicesDrawnEach: 1,
};

const token = (
  text: string | Uint8Array,
  logprob: number,
  top: SampledLogprob["top"] = [],
): SampledLogprob => ({
  text: Buffer.from(text).toString(),
  bytes: [...Buffer.from(text)],
  logprob,
  top,
});
const flame = Buffer.from("🔥");

const answer: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 5, cachedTokens: 4 },
  {
    type: "text-delta",
    choice: 0,
    text: " a",
    tokens: 1,
    logprobs: [token(" a", -0.5, [{ text: " the", bytes: [...Buffer.from(" the")], logprob: -0.25 }])],
  },
  { type: "generation-start", promptTokens: 7, cachedTokens: 0 },
  { type: "text-delta", choice: 1, text: "B", tokens: 1, logprobs: [token("B", -1)] },
  {
    type: "text-delta",
    choice: 0,
    text: " 🔥",
    tokens: 2,
    logprobs: [
      token(Buffer.concat([Buffer.from(" "), flame.subarray(0, 2)]), -2),
      token(flame.subarray(2), 0),
    ],
  },
  { type: "generation-end", choice: 1, finishReason: "length", stopSequence: null },
  { type: "text-delta", choice: 0, text: "!", tokens: 1, logprobs: [token("!", -0.125)] },
  { type: "generation-end", choice: 0, finishReason: "stop_sequence", stopSequence: "END" },
];

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/openai-completions/${name}`, import.meta.url), "utf8");
}

function chunksOf(events: readonly GenerationEvent[], changes: Partial<CompletionIdentity> = {}) {
  return events.flatMap(createCompletionEncoder({ ...identity, ...changes }, true));
}

function folded(events: readonly GenerationEvent[], changes: Partial<CompletionIdentity> = {}): Completion {
  const fold = foldCompletion({ ...identity, ...changes });
  for (const event of events) fold.add(event);
  return fold.result();
}

const deltas = (choice: number): fc.Arbitrary<readonly GenerationEvent[]> =>
  fc
    .tuple(
      fc.array(fc.string({ unit: "grapheme", maxLength: 4 }), { maxLength: 12 }),
      fc.constantFrom("stop", "stop_sequence", "length"),
      fc.boolean(),
    )
    .map(([texts, finishReason, withLogprobs]) => [
      ...texts.map((text, at): GenerationEvent => {
        const delta = { type: "text-delta", choice, text, tokens: 1 } as const;
        return withLogprobs ? { ...delta, logprobs: [token(text, -at)] } : delta;
      }),
      { type: "generation-end", choice, finishReason, stopSequence: null },
    ]);

/** Two choices, whose events come in any mixture. */
const answers = fc
  .tuple(deltas(0), deltas(1), fc.array(fc.nat(1), { minLength: 26, maxLength: 26 }))
  .map(([first, second, order]): readonly GenerationEvent[] => {
    const left: [GenerationEvent[], GenerationEvent[]] = [[...first], [...second]];
    const mixed = order.flatMap((choice) => left[choice === 0 ? 0 : 1].splice(0, 1));
    return [{ type: "generation-start", promptTokens: 3, cachedTokens: 0 }, ...mixed, ...left.flat()];
  });

describe("the answer of a completion", () => {
  it("is, streamed, the golden transcript to the byte", () => {
    expect(chunksOf(answer).map(dataFrame).join("") + doneFrame).toBe(fixture("stream.txt"));
  });

  it("is, as JSON, the golden object", () => {
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("completion.json"))));
  });

  it("says the same streamed and as JSON, whatever the events", () => {
    fc.assert(
      fc.property(answers, (events) => {
        const chunks = chunksOf(events);
        const whole = folded(events);
        for (const choice of whole.choices) {
          const parts = chunks.flatMap(({ choices }) =>
            choices.filter(({ index }) => index === choice.index),
          );
          expect(parts.map(({ text }) => text).join("")).toBe(choice.text);
          expect(parts.flatMap(({ finish_reason: finish }) => finish ?? [])).toEqual([choice.finish_reason]);
          const told = parts.flatMap(({ logprobs }) => logprobs ?? []);
          for (const list of ["tokens", "token_logprobs", "top_logprobs", "text_offset"] as const)
            expect(told.flatMap((each): readonly unknown[] => each[list])).toEqual(
              choice.logprobs?.[list] ?? [],
            );
        }
        expect(chunks.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage]);
        expect(chunks.at(-1)?.choices).toEqual([]);
      }),
    );
  });

  it("loses no text and no token of the events", () => {
    fc.assert(
      fc.property(answers, (events) => {
        const { choices, usage } = folded(events);
        const said = events.flatMap((event) => (event.type === "text-delta" ? [event] : []));
        for (const { index, text } of choices)
          expect(text).toBe(said.flatMap((delta) => (delta.choice === index ? [delta.text] : [])).join(""));
        expect(usage?.completion_tokens).toBe(said.length);
      }),
    );
  });

  it("tells no log probabilities that were not asked for", () => {
    expect(folded(answer, { tellsLogprobs: false }).choices.map(({ logprobs }) => logprobs)).toEqual([
      null,
      null,
    ]);
  });

  it("has no usage chunk unless one was asked for", () => {
    const chunks = answer.flatMap(createCompletionEncoder(identity, false));
    expect(chunks.filter((chunk) => "usage" in chunk || chunk.choices.length === 0)).toEqual([]);
  });

  it("tells the likeliest of the choices that were drawn, by their log probability per token", () => {
    const drawn = (choice: number, ...logprobs: number[]): GenerationEvent[] => [
      ...logprobs.map((logprob): GenerationEvent => {
        const text = `${choice}`;
        return { type: "text-delta", choice, text, tokens: 1, logprobs: [token(text, logprob)] };
      }),
      { type: "generation-end", choice, finishReason: "stop", stopSequence: null },
    ];
    const events = [drawn(0, -3), drawn(1, -1, -1, -1), drawn(2, -2), drawn(3), drawn(4, -9), drawn(5, -8)];
    const changes = { choices: 6, choicesDrawnEach: 3, choicesToldEach: 2, tellsLogprobs: false };
    const { choices, usage } = folded(events.flat(), changes);
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, "111"],
      [1, "2"],
      [2, "5"],
      [3, "4"],
    ]);
    expect(usage?.completion_tokens).toBe(7);
  });
});
