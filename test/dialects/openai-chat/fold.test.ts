import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { mergeEvents } from "../../../src/core/generation.js";
import {
  createChunkEncoder,
  foldCompletion,
  type ChatIdentity,
} from "../../../src/dialects/openai-chat/encode.js";
import type { ChatChunk, ChatCompletion } from "../../../src/dialects/openai-chat/wire.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { ember } from "../model.js";
import { type Answers, answersOf } from "./events.js";

const identityOf = (choices: number, callsAsFunction = false): ChatIdentity => ({
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  choices,
  callsAsFunction,
});

function chunksOf(identity: ChatIdentity, events: readonly GenerationEvent[]): readonly ChatChunk[] {
  return events.flatMap(createChunkEncoder(identity, true));
}

function folded(identity: ChatIdentity, events: readonly GenerationEvent[]): ChatCompletion {
  const fold = foldCompletion(identity);
  for (const event of events) fold.add(event);
  return fold.result();
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/openai-chat/${name}`, import.meta.url), "utf8");
}

/** What a client makes of a stream: an accumulator of our own, that knows no more than the wire. */
function read(chunks: readonly ChatChunk[], count: number) {
  return Array.from({ length: count }, (_, index) => {
    const parts = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    const deltas = parts.map(({ delta }) => delta);
    const content = parts.flatMap(({ logprobs }) => (logprobs === null ? [] : logprobs.content));
    return {
      index,
      content: deltas.map((delta) => delta.content ?? "").join(""),
      reasoning: deltas.map((delta) => delta.reasoning_content ?? "").join(""),
      calls: deltas.flatMap((delta) => delta.tool_calls ?? []),
      functions: deltas.flatMap((delta) => delta.function_call ?? []),
      logprobs: parts.some(({ logprobs }) => logprobs !== null) ? content : null,
      finishes: parts.flatMap(({ finish_reason: finish }) => finish ?? []),
    };
  });
}

/** The same of the JSON answer. */
function readWhole({ choices }: ChatCompletion) {
  return choices.map(({ index, message, logprobs, finish_reason: finish }) => ({
    index,
    content: message.content,
    reasoning: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map((call, at) => ({ index: at, ...call })),
    functions: message.function_call === undefined ? [] : [message.function_call],
    logprobs: logprobs?.content ?? null,
    finishes: finish === null ? [] : [finish],
  }));
}

/** What the events say, told by the answers that they were made from. */
function meant({ answers }: Answers) {
  return answers.map((answer, index) => ({
    index,
    content: answer.texts.map(({ text }) => text).join(""),
    reasoning: answer.reasoning.map(({ text }) => text).join(""),
    calls: answer.calls.map((call, at) => ({
      index: at,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.pieces.join("") },
    })),
    finishes: [answer.finish === "stop_sequence" ? "stop" : answer.finish],
  }));
}

describe("the chat dialect's answer of several choices, calls, log probabilities and reasoning", () => {
  it("is, as JSON, the fold of its stream, whatever the events and their order", () => {
    fc.assert(
      fc.property(answersOf(), ({ answers, events }) => {
        const identity = identityOf(answers.length);
        const chunks = chunksOf(identity, events);
        const whole = folded(identity, events);
        expect(readWhole(whole)).toEqual(read(chunks, answers.length));
        expect(chunks.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage]);
        expect(chunks.at(-1)?.choices).toEqual([]);
      }),
    );
  });

  it("loses nothing that the events say, and adds nothing", () => {
    fc.assert(
      fc.property(answersOf(), (made) => {
        const { answers, events } = made;
        const whole = folded(identityOf(answers.length), events);
        expect(readWhole(whole)).toMatchObject(meant(made));
        const told = answers.map(({ texts }) => texts.flatMap(({ logprobs }) => logprobs ?? []).length);
        expect(whole.choices.map(({ logprobs }) => logprobs?.content.length ?? 0)).toEqual(told);
        const sum = (reasoning: boolean): number =>
          events.reduce(
            (total, event) =>
              "tokens" in event && (event.type === "reasoning-delta") === reasoning
                ? total + event.tokens
                : total,
            0,
          );
        const { completion_tokens: said, completion_tokens_details: details } = whole.usage;
        expect([said, details.reasoning_tokens]).toEqual([sum(false), sum(true)]);
      }),
    );
  });

  it("says the same to a reader that fell behind, whose deltas were joined", () => {
    fc.assert(
      fc.property(answersOf(), ({ answers, events }) => {
        const identity = identityOf(answers.length);
        const joined: GenerationEvent[] = [];
        for (const event of events) {
          const last = joined.at(-1);
          const merged = last === undefined ? null : mergeEvents(last, event);
          if (merged === null) joined.push(event);
          else joined[joined.length - 1] = merged;
        }
        expect(folded(identity, joined)).toEqual(folded(identity, events));
      }),
    );
  });

  it("tells a call in one chunk, behind everything that was said before it", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1 }), ({ answers: [answer], events }) => {
        const deltas = chunksOf(identityOf(1), events).flatMap(({ choices }) => choices);
        const calls = deltas.flatMap(({ delta }) => delta.tool_calls ?? []);
        expect(calls.map(({ index }) => index)).toEqual((answer?.calls ?? []).map((_, at) => at));
        for (const { delta } of deltas) expect((delta.tool_calls ?? []).length).toBeLessThanOrEqual(1);
        const lastReasoning = deltas.findLastIndex(({ delta }) => delta.reasoning_content !== undefined);
        const firstCall = deltas.findIndex(({ delta }) => delta.tool_calls !== undefined);
        if (firstCall >= 0) expect(lastReasoning).toBeLessThan(firstCall);
      }),
    );
  });

  it("tells the one call of a client that gave functions as function_call, streamed and whole", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 2, callsMax: 1 }), ({ answers, events }) => {
        const identity = identityOf(answers.length, true);
        const whole = readWhole(folded(identity, events));
        expect(whole).toEqual(read(chunksOf(identity, events), answers.length));
        for (const [index, { calls, finish }] of answers.entries()) {
          const functions = calls.map(({ name, pieces }) => ({ name, arguments: pieces.join("") }));
          expect(whole[index]).toMatchObject({ calls: [], functions });
          if (finish === "tool_calls") expect(whole[index]?.finishes).toEqual(["function_call"]);
        }
      }),
    );
  });
});

const called: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 31, cachedTokens: 0 },
  { type: "reasoning-delta", choice: 0, text: "Two cities.", tokens: 4 },
  { type: "text-delta", choice: 0, text: "A moment.", tokens: 2 },
  { type: "tool-call-start", choice: 0, index: 0, id: "call_10", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"city": ', tokens: 3 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '"Köln"}', tokens: 4 },
  { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
  { type: "tool-call-start", choice: 0, index: 1, id: "call_11", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"city": "\\"Bonn\\""}', tokens: 7 },
  { type: "tool-call-end", choice: 0, index: 1, tokens: 2 },
  { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
];

const twice: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 12, cachedTokens: 4 },
  { type: "text-delta", choice: 1, text: "Rot", tokens: 1, logprobs: [told("Rot", -0.5, "Blau", -1.25)] },
  { type: "text-delta", choice: 0, text: "Blau", tokens: 1, logprobs: [told("Blau", -1.25, "Rot", -0.5)] },
  { type: "generation-end", choice: 1, finishReason: "stop", stopSequence: null },
  { type: "text-delta", choice: 0, text: "!", tokens: 1, logprobs: [told("!", -0.125)] },
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

function told(text: string, logprob: number, other = "", otherLogprob = 0) {
  const each = (shown: string, value: number) => ({
    text: shown,
    bytes: [...Buffer.from(shown)],
    logprob: value,
  });
  const top = other === "" ? [] : [each(text, logprob), each(other, otherLogprob)];
  return { ...each(text, logprob), top: top.sort((a, b) => b.logprob - a.logprob) };
}

describe("golden transcripts", () => {
  it.each([
    ["tool-calls", called, 1],
    ["two-choices", twice, 2],
  ] as const)("of %s are met to the byte, streamed and whole", (name, events, choices) => {
    const identity = identityOf(choices);
    const stream = chunksOf(identity, events).map(dataFrame).join("") + doneFrame;
    expect(stream).toBe(fixture(`${name}-stream.txt`));
    const whole = JSON.stringify(folded(identity, events));
    expect(whole).toBe(JSON.stringify(JSON.parse(fixture(`${name}.json`))));
  });
});
