import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { encodeCompletion, foldComplete } from "../../../src/dialects/anthropic-complete/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { fixture, jsonFixture } from "../fixture.js";
import { ember } from "../../kit/scripted/ember.js";

const identity = { id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51", model: ember, modelName: ember.manifest.id };

const answer: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 9, cachedTokens: 0 },
  { type: "reasoning-delta", choice: 0, text: "Colour.", tokens: 2 },
  { type: "text-delta", choice: 0, text: "Blue", tokens: 1 },
  { type: "text-delta", choice: 0, text: "", tokens: 1 },
  { type: "text-delta", choice: 0, text: ' –\n"sea".', tokens: 4 },
  { type: "generation-end", choice: 0, finishReason: "stop", stopSequence: null },
];

/** The token limit was reached before the end of the turn. */
const cut: readonly GenerationEvent[] = [
  ...answer.slice(0, 3),
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

const streamOf = (events: readonly GenerationEvent[]) =>
  events.flatMap((event) => encodeCompletion(identity, event) ?? []);

function folded(events: readonly GenerationEvent[]) {
  const fold = foldComplete(identity);
  for (const event of events) fold.add(event);
  return fold.result();
}

describe("the response of a complete request", () => {
  it.each([
    ["completion", "", answer],
    ["cut", "cut-", cut],
  ] as const)("matches the golden %s byte for byte, streamed and as JSON", (name, prefix, events) => {
    const frames = streamOf(events).map((piece) => eventFrame(piece.type, piece));
    expect(frames.join("")).toBe(fixture("anthropic-complete", `${prefix}stream.txt`));
    expect(JSON.stringify(folded(events))).toBe(jsonFixture("anthropic-complete", `${name}.json`));
  });

  it.each([
    ["stop", "stop_sequence"],
    ["stop_sequence", "stop_sequence"],
    ["length", "max_tokens"],
  ] as const)("maps the finish reason %s to stop_reason %s", (finishReason, reason) => {
    const events = [{ type: "generation-end", choice: 0, finishReason, stopSequence: null } as const];
    expect(folded(events).stop_reason).toBe(reason);
  });
});
