import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../../src/dialects/anthropic-messages/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { fixture, jsonFixture } from "../fixture.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: MessageIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  model: ember,
  modelName: ember.manifest.id,
  thinking: "shown",
  maxTokens: 15,
  appliedEdits: null,
};

const start: GenerationEvent = { type: "generation-start", promptTokens: 31, cachedTokens: 24 };
const thought: GenerationEvent = { type: "reasoning-delta", choice: 0, text: "Two cities.", tokens: 4 };

/** The token limit truncated the arguments of the call. */
const cut: readonly GenerationEvent[] = [
  start,
  thought,
  { type: "tool-call-start", choice: 0, index: 0, id: "call_10", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"city": "Kö', tokens: 5 },
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

/** Reasons between its calls; one call has no arguments, one has several. */
const called: readonly GenerationEvent[] = [
  start,
  { type: "tool-call-start", choice: 0, index: 0, id: "call_10", name: "list_cities", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: "{}", tokens: 1 },
  { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
  thought,
  { type: "tool-call-start", choice: 0, index: 1, id: "call_11", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"city": "Köln",', tokens: 5 },
  { type: "tool-call-delta", choice: 0, index: 1, arguments: ' "note": "\\"\\n"}', tokens: 5 },
  { type: "tool-call-end", choice: 0, index: 1, tokens: 1 },
  { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
];

const stopped: readonly GenerationEvent[] = [
  start,
  thought,
  { type: "text-delta", choice: 0, text: "\n\nIt ", tokens: 2 },
  { type: "text-delta", choice: 0, text: "rains. 🌧", tokens: 3 },
  { type: "generation-end", choice: 0, finishReason: "stop_sequence", stopSequence: "###" },
];

describe("a golden transcript of the messages dialect", () => {
  it.each<[string, readonly GenerationEvent[], Partial<MessageIdentity>]>([
    ["tool-calls", called, {}],
    ["cut-call", cut, {}],
    ["omitted-thinking", stopped, { thinking: "omitted" }],
  ])("of %s matches byte for byte, streamed and as JSON", (name, events, form) => {
    const as = { ...identity, ...form };
    const sent = runEvents(events).flatMap(createMessageEncoder(as));
    const stream = sent.map((event) => eventFrame(event.type, event)).join("");
    expect(stream).toBe(fixture("anthropic-messages", `${name}-stream.txt`));
    const fold = foldMessage(as);
    for (const event of runEvents(events)) fold.add(event);
    expect(JSON.stringify(fold.result())).toBe(jsonFixture("anthropic-messages", `${name}.json`));
  });
});
