import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { createChunkEncoder, foldChat, type ChatIdentity } from "../../../src/dialects/openai-chat/encode.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { fixture, jsonFixture } from "../fixture.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: ChatIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  modelName: ember.manifest.id,
  choices: 1,
  callsAsFunction: false,
};

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
  {
    type: "text-delta",
    choice: 1,
    text: "Rot",
    tokens: 1,
    logprobs: [encodeStream("Rot", -0.5, "Blau", -1.25)],
  },
  {
    type: "text-delta",
    choice: 0,
    text: "Blau",
    tokens: 1,
    logprobs: [encodeStream("Blau", -1.25, "Rot", -0.5)],
  },
  { type: "generation-end", choice: 1, finishReason: "stop", stopSequence: null },
  { type: "text-delta", choice: 0, text: "!", tokens: 1, logprobs: [encodeStream("!", -0.125)] },
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

function encodeStream(text: string, logprob: number, other = "", otherLogprob = 0) {
  const each = (shown: string, value: number) => ({
    text: shown,
    bytes: [...Buffer.from(shown)],
    logprob: value,
  });
  const top = other === "" ? [] : [each(text, logprob), each(other, otherLogprob)];
  return { ...each(text, logprob), top: top.sort((a, b) => b.logprob - a.logprob) };
}

/** The token limit truncated the arguments of the second call. */
const cut: readonly GenerationEvent[] = [
  ...called.slice(0, 8),
  { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"city": "\\"Bo', tokens: 5 },
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

describe("a golden transcript of the chat dialect", () => {
  it.each<[string, readonly GenerationEvent[], Partial<ChatIdentity>]>([
    ["tool-calls", called, {}],
    ["two-choices", twice, { choices: 2 }],
    ["cut-call", cut, {}],
    ["function-call", [...called.slice(0, 7), ...called.slice(-1)], { callsAsFunction: true }],
  ])("of %s matches byte for byte, streamed and as JSON", (name, events, form) => {
    const as = { ...identity, ...form };
    const stream =
      runEvents(events).flatMap(createChunkEncoder(as, true)).map(dataFrame).join("") + doneFrame;
    expect(stream).toBe(fixture("openai-chat", `${name}-stream.txt`));
    const fold = foldChat(as);
    for (const event of runEvents(events)) fold.add(event);
    expect(JSON.stringify(fold.result())).toBe(jsonFixture("openai-chat", `${name}.json`));
  });
});
