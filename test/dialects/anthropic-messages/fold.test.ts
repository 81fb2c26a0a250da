import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import {
  createMessageEncoder,
  foldMessage,
  type MessageIdentity,
} from "../../../src/dialects/anthropic-messages/encode.js";
import type { ContentBlock, MessageEvent } from "../../../src/dialects/anthropic-messages/response-schema.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { answersOf, callsOf, joinDeltas, textOf, tokensOf, type AnswersShape } from "../events.js";
import { readFrames } from "../frames.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const oneChoice: AnswersShape = { choicesMax: 1 };
const displays = fc.constantFrom("shown", "omitted", "hidden");

function identityOf(thinking: MessageIdentity["thinking"]): MessageIdentity {
  return {
    id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
    model: ember,
    modelName: ember.manifest.id,
    thinking,
    maxTokens: 100,
    appliedEdits: null,
  };
}

/** Encodes events as a stream and parses its events. */
function streamOf(identity: MessageIdentity, events: readonly GenerationEvent[]): readonly MessageEvent[] {
  const sent = runEvents(events).flatMap(createMessageEncoder(identity));
  const frames = readFrames(sent.map((event) => eventFrame(event.type, event)).join(""));
  const streamed = frames.map(({ data }) => JSON.parse(data) as MessageEvent);
  expect(frames.map(({ event }) => event)).toEqual(streamed.map(({ type }) => type));
  return streamed;
}

function folded(identity: MessageIdentity, events: readonly GenerationEvent[]) {
  const fold = foldMessage(identity);
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

/** Accumulates the events of a stream as an independent client does. */
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
      if (block?.type === "tool_use") blocks[event.index] = { ...block, input: inputOf(json) };
      open = null;
    }
  }
  expect(open).toBe(null);
  return blocks;
}

/** Truncated arguments are empty. */
function inputOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
}

describe("the response of the messages dialect with thinking, text and tool calls", () => {
  it("is the same as JSON and streamed, for all events and orders", () => {
    fc.assert(
      fc.property(answersOf(oneChoice), displays, ({ events }, thinking) => {
        const streamed = streamOf(identityOf(thinking), events);
        const whole = folded(identityOf(thinking), events);
        expect(read(streamed)).toEqual(whole.content);
        const [first, second] = streamed;
        const { input_tokens, cache_read_input_tokens } = whole.usage;
        expect(first).toMatchObject({
          type: "message_start",
          message: {
            id: whole.id,
            model: whole.model,
            content: [],
            stop_reason: null,
            usage: { input_tokens, cache_read_input_tokens, output_tokens: 0 },
          },
        });
        expect(second).toEqual({ type: "ping" });
        const { service_tier, cache_creation, inference_geo, speed, ...usage } = whole.usage;
        expect([service_tier, inference_geo, speed]).toEqual(["standard", null, null]);
        expect(Object.values(cache_creation)).toEqual([0, 0]);
        const { stop_reason, stop_sequence } = whole;
        expect(streamed.at(-1)).toEqual({
          type: "message_delta",
          delta: { stop_reason, stop_sequence, container: null, stop_details: null },
          usage,
        });
      }),
    );
  });

  it("contains every text, tool call and token of the events, and no block of white space", () => {
    fc.assert(
      fc.property(answersOf(oneChoice), ({ answers: [answer], events }) => {
        if (answer === undefined) throw new Error("no answer");
        const { content, usage } = folded(identityOf("shown"), events);
        const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
        const bare = (text: string): string => text.replace(/\s/gu, "");
        expect(bare(texts.join(""))).toBe(bare(textOf(answer, "text")));
        for (const text of texts) expect(text.trim()).not.toBe("");
        const thought = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
        expect(thought.join("")).toBe(textOf(answer, "reasoning"));
        const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
        expect(calls).toEqual(
          callsOf(answer).map(({ id, name, pieces }) => ({
            type: "tool_use",
            id: id.replace("call_", "toolu_"),
            name,
            input: inputOf(pieces.join("")),
            caller: { type: "direct" },
          })),
        );
        expect(usage.output_tokens).toBe(tokensOf(events, "rest") + tokensOf(events, "reasoning"));
        const [start] = events;
        const prompt = start?.type === "generation-start" ? start.promptTokens : 0;
        expect(usage.input_tokens + usage.cache_read_input_tokens).toBe(prompt);
      }),
    );
  });

  it("has the same content for a slow reader whose deltas were joined", () => {
    fc.assert(
      fc.property(answersOf(oneChoice), displays, ({ events }, thinking) => {
        const identity = identityOf(thinking);
        expect(folded(identity, joinDeltas(events))).toEqual(folded(identity, events));
        expect(read(streamOf(identity, joinDeltas(events)))).toEqual(read(streamOf(identity, events)));
      }),
    );
  });
});
