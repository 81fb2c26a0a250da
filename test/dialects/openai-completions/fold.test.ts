import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import {
  createCompletionEncoder,
  foldCompletion,
  type CompletionIdentity,
} from "../../../src/dialects/openai-completions/encode.js";
import type { Completion } from "../../../src/dialects/openai-completions/response-schema.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { answersOf, joinDeltas, textOf, tokensOf, type Answers, type AnswersShape } from "../events.js";
import { readFrames } from "../frames.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const raw: AnswersShape = { textOnly: true, promptsMax: 3 };

function identityOf({ answers }: Answers, includesLogprobs = true): CompletionIdentity {
  return {
    id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
    created: 1795219201,
    model: ember,
    modelName: ember.manifest.id,
    choices: answers.length,
    includesLogprobs,
    choicesReturnedPerPrompt: 1,
    choicesSampledPerPrompt: 1,
  };
}

/** Encodes events as a stream and parses its chunks. */
function chunksOf(identity: CompletionIdentity, events: readonly GenerationEvent[]): readonly Completion[] {
  const sent = runEvents(events).flatMap(createCompletionEncoder(identity, true));
  const frames = readFrames(sent.map(dataFrame).join("") + doneFrame);
  expect(frames.at(-1)).toEqual({ event: null, data: "[DONE]" });
  return frames.slice(0, -1).map(({ data }) => JSON.parse(data) as Completion);
}

function folded(identity: CompletionIdentity, events: readonly GenerationEvent[]): Completion {
  const fold = foldCompletion(identity);
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

/** Accumulates the chunks of a stream as a client does: the parts of each choice are joined in order. */
function read(chunks: readonly Completion[], count: number) {
  return Array.from({ length: count }, (_, index) => {
    const parts = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    const logprobs = parts.flatMap(({ logprobs }) => logprobs ?? []);
    const finishes = parts.flatMap(({ finish_reason: finish }) => finish ?? []);
    expect(finishes).toHaveLength(1);
    expect(parts.at(-1)?.finish_reason).toBe(finishes[0]);
    return {
      index,
      text: parts.map(({ text }) => text).join(""),
      logprobs:
        logprobs.length === 0
          ? null
          : {
              tokens: logprobs.flatMap(({ tokens }) => tokens),
              token_logprobs: logprobs.flatMap(({ token_logprobs: each }) => each),
              top_logprobs: logprobs.flatMap(({ top_logprobs: each }) => each),
              text_offset: logprobs.flatMap(({ text_offset: each }) => each),
            },
      finish_reason: finishes[0],
    };
  });
}

describe("the response of the completions dialect with several prompts and choices", () => {
  it("is the same as JSON and streamed, for all events and orders", () => {
    fc.assert(
      fc.property(answersOf(raw), fc.boolean(), (made, includesLogprobs) => {
        const identity = identityOf(made, includesLogprobs);
        const chunks = chunksOf(identity, made.events);
        const whole = folded(identity, made.events);
        expect(read(chunks, made.answers.length)).toEqual(whole.choices);
        expect(chunks.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage]);
        expect(chunks.at(-1)?.choices).toEqual([]);
        const { id, object, created, model, system_fingerprint: print } = whole;
        for (const chunk of chunks)
          expect(chunk).toMatchObject({ id, object, created, model, system_fingerprint: print });
      }),
    );
  });

  it("contains every text, log probability and token of the events", () => {
    fc.assert(
      fc.property(answersOf(raw), (made) => {
        const { choices, usage } = folded(identityOf(made), made.events);
        expect(choices.map(({ text }) => text)).toEqual(made.answers.map((answer) => textOf(answer, "text")));
        expect(choices.map(({ logprobs }) => logprobs?.token_logprobs ?? [])).toEqual(
          made.answers.map(({ parts }) =>
            parts.flatMap((part) =>
              ("logprobs" in part ? (part.logprobs ?? []) : []).map(({ logprob }) => logprob),
            ),
          ),
        );
        const prompts = made.events.flatMap((event) => (event.type === "generation-start" ? [event] : []));
        const promptTokens = prompts.reduce((sum, each) => sum + each.promptTokens, 0);
        expect(usage).toMatchObject({
          prompt_tokens: promptTokens,
          completion_tokens: tokensOf(made.events, "rest"),
          total_tokens: promptTokens + tokensOf(made.events, "rest"),
        });
      }),
    );
  });

  it("has the same content for a slow reader whose deltas were joined", () => {
    fc.assert(
      fc.property(answersOf(raw), (made) => {
        const identity = identityOf(made);
        expect(folded(identity, joinDeltas(made.events))).toEqual(folded(identity, made.events));
      }),
    );
  });
});
