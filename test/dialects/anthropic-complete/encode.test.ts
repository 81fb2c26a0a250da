import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { encodeCompletion, foldComplete } from "../../../src/dialects/anthropic-complete/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { ember } from "../model.js";

const identity = { id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51", model: ember };

const answer: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 9, cachedTokens: 0 },
  { type: "reasoning-delta", choice: 0, text: "Colour.", tokens: 2 },
  { type: "text-delta", choice: 0, text: "Blue", tokens: 1 },
  { type: "text-delta", choice: 0, text: "", tokens: 1 },
  { type: "text-delta", choice: 0, text: ' –\n"sea".', tokens: 4 },
  { type: "generation-end", choice: 0, finishReason: "stop", stopSequence: null },
];

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/anthropic-complete/${name}`, import.meta.url), "utf8");
}

const piecesOf = (events: readonly GenerationEvent[]) =>
  events.flatMap((event) => encodeCompletion(identity, event) ?? []);

function folded(events: readonly GenerationEvent[]) {
  const fold = foldComplete(identity);
  for (const event of events) fold.add(event);
  return fold.result();
}

const answers = fc
  .record({
    texts: fc.array(fc.string({ unit: "grapheme", maxLength: 4 }), { maxLength: 20 }),
    finishReason: fc.constantFrom("stop", "stop_sequence", "length"),
  })
  .map(({ texts, finishReason }): readonly GenerationEvent[] => [
    { type: "generation-start", promptTokens: 1, cachedTokens: 0 },
    ...texts.map((text): GenerationEvent => ({ type: "text-delta", choice: 0, text, tokens: 1 })),
    { type: "generation-end", choice: 0, finishReason, stopSequence: null },
  ]);

describe("the answer of a complete request", () => {
  it("is, streamed, the golden transcript to the byte", () => {
    const frames = piecesOf(answer).map((piece) => eventFrame(piece.type, piece));
    expect(frames.join("")).toBe(fixture("stream.txt"));
  });

  it("is, as JSON, the golden object", () => {
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("completion.json"))));
  });

  it("says the same streamed and as JSON, whatever the events", () => {
    fc.assert(
      fc.property(answers, (events) => {
        const pieces = piecesOf(events);
        const whole = folded(events);
        expect(pieces.map(({ completion }) => completion).join("")).toBe(whole.completion);
        expect(pieces.map(({ stop_reason: reason }) => reason)).toEqual([
          ...pieces.slice(1).map(() => null),
          whole.stop_reason,
        ]);
        expect(pieces.at(-1)?.completion).toBe("");
      }),
    );
  });

  it.each([
    ["stop", "stop_sequence"],
    ["stop_sequence", "stop_sequence"],
    ["length", "max_tokens"],
  ] as const)("tells of the end %s as stop_reason %s", (finishReason, reason) => {
    const events = [{ type: "generation-end", choice: 0, finishReason, stopSequence: null } as const];
    expect(folded(events).stop_reason).toBe(reason);
  });
});
