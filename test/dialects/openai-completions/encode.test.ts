import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../../../src/dialects/openai-completions/encode.js";
import type { Completion } from "../../../src/dialects/openai-completions/response-schema.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: CompletionIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  modelName: ember.manifest.id,
  choices: 2,
  includesLogprobs: true,
  choicesReturnedPerPrompt: 1,
  choicesSampledPerPrompt: 1,
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
  return runEvents(events).flatMap(createCompletionEncoder({ ...identity, ...changes }, true));
}

function folded(events: readonly GenerationEvent[], changes: Partial<CompletionIdentity> = {}): Completion {
  const fold = foldCompletion({ ...identity, ...changes });
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

describe("the response of the completions dialect", () => {
  it("matches the golden transcript byte for byte when streamed", () => {
    expect(chunksOf(answer).map(dataFrame).join("") + doneFrame).toBe(fixture("stream.txt"));
  });

  it("matches the golden object as JSON", () => {
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("completion.json"))));
  });

  it("contains log probabilities only if requested", () => {
    expect(folded(answer, { includesLogprobs: false }).choices.map(({ logprobs }) => logprobs)).toEqual([
      null,
      null,
    ]);
  });

  it("has a usage chunk only if requested", () => {
    const chunks = runEvents(answer).flatMap(createCompletionEncoder(identity, false));
    expect(chunks.filter((chunk) => "usage" in chunk || chunk.choices.length === 0)).toEqual([]);
  });

  it("contains the most likely of the sampled choices, by their mean log probability per token", () => {
    const sampledChoice = (choice: number, ...logprobs: number[]): GenerationEvent[] => [
      ...logprobs.map((logprob): GenerationEvent => {
        const text = `${choice}`;
        return { type: "text-delta", choice, text, tokens: 1, logprobs: [token(text, logprob)] };
      }),
      { type: "generation-end", choice, finishReason: "stop", stopSequence: null },
    ];
    const events = [
      sampledChoice(0, -3),
      sampledChoice(1, -1, -1, -1),
      sampledChoice(2, -2),
      sampledChoice(3),
      sampledChoice(4, -9),
      sampledChoice(5, -8),
    ];
    const changes = {
      choices: 6,
      choicesSampledPerPrompt: 3,
      choicesReturnedPerPrompt: 2,
      includesLogprobs: false,
    };
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
