import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { encodeCompletion, foldComplete } from "../../../src/dialects/anthropic-complete/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { answersOf, joined, textOf } from "../events.js";
import { readFrames } from "../frames.js";
import { ember } from "../model.js";

const identity = { id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51", model: ember };
/** There is no place for reasoning in the answer: whatever of it is there all the same is left out. */
const answers = answersOf({ choicesMax: 1, callsMax: 0 });

type Piece = NonNullable<ReturnType<typeof encodeCompletion>>;

/** The objects of a stream, as they are read from the wire. */
function piecesOf(events: readonly GenerationEvent[]): readonly Piece[] {
  const sent = events.flatMap((event) => encodeCompletion(identity, event) ?? []);
  const frames = readFrames(sent.map((piece) => eventFrame(piece.type, piece)).join(""));
  for (const { event } of frames) expect(event).toBe("completion");
  return frames.map(({ data }) => JSON.parse(data) as Piece);
}

function folded(events: readonly GenerationEvent[]): Piece {
  const fold = foldComplete(identity);
  for (const event of events) fold.add(event);
  return fold.result();
}

describe("the answer of a complete request", () => {
  it("is, as JSON, the fold of its stream, whatever the events", () => {
    fc.assert(
      fc.property(answers, ({ events }) => {
        const pieces = piecesOf(events);
        const { completion, stop_reason: reason, ...same } = folded(events);
        expect(pieces.map((piece) => piece.completion).join("")).toBe(completion);
        expect(pieces.map((piece) => piece.stop_reason)).toEqual([
          ...pieces.slice(1).map(() => null),
          reason,
        ]);
        expect(pieces.at(-1)?.completion).toBe("");
        for (const piece of pieces) expect(piece).toMatchObject(same);
      }),
    );
  });

  it("loses no text of the events, and adds none", () => {
    fc.assert(
      fc.property(answers, ({ answers: [answer], events }) => {
        expect(folded(events).completion).toBe(answer === undefined ? null : textOf(answer, "text"));
        expect(folded(joined(events))).toEqual(folded(events));
      }),
    );
  });
});
