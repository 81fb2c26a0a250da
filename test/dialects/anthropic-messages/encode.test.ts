import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../../src/dialects/anthropic-messages/encode.js";
import type { ContentBlock, MessageEvent } from "../../../src/dialects/anthropic-messages/wire.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { ember } from "../model.js";

const identity: MessageIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  model: ember,
  thinking: "shown",
  maxTokens: 100,
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
  return events.flatMap(createMessageEncoder({ ...identity, ...as }));
}

function folded(events: readonly GenerationEvent[], as: Partial<MessageIdentity> = {}) {
  const fold = foldMessage({ ...identity, ...as });
  for (const event of events) fold.add(event);
  return fold.result();
}

/** What a client that knows nothing but the order of events makes of a stream. */
function read(events: readonly MessageEvent[]) {
  const blocks: ContentBlock[] = [];
  let open: number | null = null;
  let json = "";
  for (const event of events) {
    if (event.type === "content_block_start") {
      expect([open, event.index]).toEqual([null, blocks.length]);
      open = event.index;
      json = "";
      blocks.push(event.content_block);
    } else if (event.type === "content_block_delta") {
      expect(event.index).toBe(open);
      const { delta } = event;
      const block = blocks[event.index];
      if (delta.type === "text_delta" && block?.type === "text")
        blocks[event.index] = { ...block, text: block.text + delta.text };
      else if (delta.type === "thinking_delta" && block?.type === "thinking")
        blocks[event.index] = { ...block, thinking: block.thinking + delta.thinking };
      else if (delta.type === "signature_delta" && block?.type === "thinking")
        blocks[event.index] = { ...block, signature: delta.signature };
      else if (delta.type === "input_json_delta" && block?.type === "tool_use") json += delta.partial_json;
      else throw new Error(`a ${delta.type} in a block of type ${block?.type ?? "none"}`);
    } else if (event.type === "content_block_stop") {
      expect(event.index).toBe(open);
      const block = blocks[event.index];
      if (block?.type === "tool_use" && json !== "")
        blocks[event.index] = { ...block, input: JSON.parse(json) as Record<string, unknown> };
      open = null;
    }
  }
  expect(open).toBe(null);
  return blocks;
}

const texts = fc.oneof(
  fc.constantFrom("", "a", "\n", " ", "🔥", "{"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const delta = (type: "text-delta" | "reasoning-delta") =>
  fc.record({ type: fc.constant(type), choice: fc.constant(0), text: texts, tokens: fc.nat(5) });
const call = fc.record({ name: fc.string(), args: fc.dictionary(fc.string(), fc.string()), cut: fc.nat(20) });
const answers: fc.Arbitrary<readonly GenerationEvent[]> = fc
  .record({
    prompt: fc.nat(1000),
    cached: fc.double({ min: 0, max: 1, noNaN: true }),
    reasoning: fc.array(delta("reasoning-delta"), { maxLength: 8 }),
    text: fc.array(delta("text-delta"), { maxLength: 8 }),
    calls: fc.array(call, { maxLength: 3 }),
    after: fc.array(delta("text-delta"), { maxLength: 4 }),
    finishReason: fc.constantFrom("stop", "stop_sequence", "length", "tool_calls"),
  })
  .map(({ prompt, cached, reasoning, text, calls, after, finishReason }) => [
    { type: "generation-start", promptTokens: prompt, cachedTokens: Math.floor(prompt * cached) },
    ...reasoning,
    ...text,
    ...calls.flatMap(({ name, args, cut }, index): GenerationEvent[] => {
      const json = JSON.stringify(args);
      const common = { choice: 0, index, tokens: 1 };
      return [
        { type: "tool-call-start", ...common, id: `call_${index}`, name },
        { type: "tool-call-delta", ...common, arguments: json.slice(0, cut) },
        { type: "tool-call-delta", ...common, arguments: json.slice(cut) },
        { type: "tool-call-end", ...common },
      ];
    }),
    ...after,
    { type: "generation-end", choice: 0, finishReason, stopSequence: null },
  ]);

describe("the messages dialect's answer", () => {
  it("is, streamed, the golden transcript to the byte", () => {
    const frames = eventsOf(answer).map((event) => eventFrame(event.type, event));
    expect(frames.join("")).toBe(fixture("stream.txt"));
  });

  it("is, as JSON, the golden object", () => {
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("message.json"))));
  });

  it("says the same streamed and as JSON, whatever the events", () => {
    fc.assert(
      fc.property(answers, fc.constantFrom("shown", "omitted", "hidden"), (events, thinking) => {
        const streamed = eventsOf(events, { thinking });
        const whole = folded(events, { thinking });
        expect(read(streamed)).toEqual(whole.content);
        const [first, last] = [streamed[0], streamed.at(-1)];
        expect(first).toMatchObject({ type: "message_start", message: { id: whole.id, model: whole.model } });
        const { service_tier, ...usage } = whole.usage;
        expect(service_tier).toBe("standard");
        const { stop_reason, stop_sequence } = whole;
        expect(last).toEqual({ type: "message_delta", delta: { stop_reason, stop_sequence }, usage });
      }),
    );
  });

  it("loses no text and no token of the events, and makes no block of white space", () => {
    fc.assert(
      fc.property(answers, (events) => {
        const { content, usage } = folded(events);
        const said = events.flatMap((event) => (event.type === "text-delta" ? event.text : [])).join("");
        const thought = events.flatMap((event) => (event.type === "reasoning-delta" ? event.text : []));
        const blocks = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
        expect(blocks.join("").replace(/\s/gu, "")).toBe(said.replace(/\s/gu, ""));
        for (const block of blocks) expect(block.trim()).not.toBe("");
        const shown = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
        expect(shown.join("")).toBe(thought.join(""));
        const tokens = events.reduce((sum, event) => sum + ("tokens" in event ? event.tokens : 0), 0);
        expect(usage.output_tokens).toBe(tokens);
        const [start] = events;
        const prompt = start?.type === "generation-start" ? start.promptTokens : 0;
        expect(usage.input_tokens + usage.cache_read_input_tokens).toBe(prompt);
      }),
    );
  });

  it("tells of thinking only to whom asked for it, and signs what it tells", () => {
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
  ] as const)("tells of the end %s as it is told there", (finishReason, stopSequence, wire) => {
    const end: GenerationEvent = { type: "generation-end", choice: 0, finishReason, stopSequence };
    const whole = folded([...answer.slice(0, -1), end]);
    expect([whole.stop_reason, whole.stop_sequence]).toEqual([wire, stopSequence]);
  });

  it.each([
    [24, "max_tokens"],
    [25, "model_context_window_exceeded"],
    [null, "model_context_window_exceeded"],
  ])("tells the bound of the request (%s) from that of the context", (maxTokens, wire) => {
    const end: GenerationEvent = {
      type: "generation-end",
      choice: 0,
      finishReason: "length",
      stopSequence: null,
    };
    expect(folded([...answer.slice(0, -1), end], { maxTokens }).stop_reason).toBe(wire);
  });

  it("gives a call that was cut in the middle no arguments, and ends its block", () => {
    const cut = [...answer.slice(0, 9), ...answer.slice(-1)];
    expect(folded(cut).content.at(-1)).toMatchObject({ type: "tool_use", name: "paint", input: {} });
    expect(eventsOf(cut).slice(-2)).toMatchObject([
      { type: "content_block_stop" },
      { type: "message_delta" },
    ]);
  });
});
