import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../../src/dialects/anthropic-messages/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: MessageIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  model: ember,
  modelName: ember.manifest.id,
  thinking: "shown",
  maxTokens: 100,
  appliedEdits: null,
};
const callId = "call_0193a1c25d7e7c409b1f2f6a8d3e4c51000";

const answer: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 19, cachedTokens: 8 },
  { type: "reasoning-delta", choice: 0, text: "A colour", tokens: 2 },
  { type: "reasoning-delta", choice: 0, text: " of fire.", tokens: 3 },
  { type: "text-delta", choice: 0, text: "\n", tokens: 1 },
  { type: "text-delta", choice: 0, text: "Red", tokens: 1 },
  { type: "text-delta", choice: 0, text: "", tokens: 1 },
  { type: "text-delta", choice: 0, text: ' –\n"glut".', tokens: 4 },
  { type: "tool-call-start", choice: 0, index: 0, id: callId, name: "paint", tokens: 5 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"colour":', tokens: 3 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '"red"}', tokens: 2 },
  { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
  { type: "text-delta", choice: 0, text: "\n", tokens: 1 },
  { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
];

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/anthropic-messages/${name}`, import.meta.url), "utf8");
}

function eventsOf(events: readonly GenerationEvent[], as: Partial<MessageIdentity> = {}) {
  return runEvents(events).flatMap(createMessageEncoder({ ...identity, ...as }));
}

function folded(events: readonly GenerationEvent[], as: Partial<MessageIdentity> = {}) {
  const fold = foldMessage({ ...identity, ...as });
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

describe("the response of the messages dialect", () => {
  it("matches the golden transcript byte for byte when streamed", () => {
    const frames = eventsOf(answer).map((event) => eventFrame(event.type, event));
    expect(frames.join("")).toBe(fixture("stream.txt"));
  });

  it("matches the golden object as JSON", () => {
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("message.json"))));
  });

  it("contains thinking only if requested, with a signature", () => {
    const types = (thinking: MessageIdentity["thinking"]) =>
      folded(answer, { thinking }).content.map((block) => block.type);
    expect(types("shown")).toEqual(["thinking", "text", "tool_use"]);
    expect(types("hidden")).toEqual(["text", "tool_use"]);
    const [omitted] = folded(answer, { thinking: "omitted" }).content;
    expect(omitted).toEqual({ type: "thinking", thinking: "", signature: "aGVhcnRo" });
    expect(folded(answer, { thinking: "hidden" }).usage).toEqual(folded(answer).usage);
  });

  it.each([
    ["stop", null, "end_turn"],
    ["stop_sequence", "END", "stop_sequence"],
    ["tool_calls", null, "tool_use"],
  ] as const)("maps the finish reason %s to Anthropic's stop reason", (finishReason, stopSequence, wire) => {
    const end: GenerationEvent = { type: "generation-end", choice: 0, finishReason, stopSequence };
    const whole = folded([...answer.slice(0, -1), end]);
    expect([whole.stop_reason, whole.stop_sequence]).toEqual([wire, stopSequence]);
  });

  it.each([
    [24, "max_tokens"],
    [25, "model_context_window_exceeded"],
    [null, "model_context_window_exceeded"],
  ])("distinguishes the limit of the request (%s) from that of the context", (maxTokens, wire) => {
    const end: GenerationEvent = {
      type: "generation-end",
      choice: 0,
      finishReason: "length",
      stopSequence: null,
    };
    expect(folded([...answer.slice(0, -1), end], { maxTokens }).stop_reason).toBe(wire);
  });

  it("ends the block of a truncated tool call and drops its arguments", () => {
    const cut = [...answer.slice(0, 9), ...answer.slice(-1)];
    expect(folded(cut).content.at(-1)).toMatchObject({ type: "tool_use", name: "paint", input: {} });
    expect(eventsOf(cut).slice(-2)).toMatchObject([
      { type: "content_block_stop" },
      { type: "message_delta" },
    ]);
  });
});
