import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { encodeCompletion, foldComplete } from "../../../src/dialects/anthropic-complete/encode.js";
import { eventFrame } from "../../../src/dialects/sse.js";
import { answersOf, joinDeltas, textOf } from "../events.js";
import { readFrames } from "../frames.js";
import { ember } from "../../kit/scripted/ember.js";

const identity = { id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51", model: ember, modelName: ember.manifest.id };
/** The response has no field for reasoning, so reasoning in the events must be omitted. */
const answers = answersOf({ choicesMax: 1, callsMax: 0 });

type StreamObject = NonNullable<ReturnType<typeof encodeCompletion>>;

/** Encodes events as a stream and parses its objects. */
function streamOf(events: readonly GenerationEvent[]): readonly StreamObject[] {
  const sent = events.flatMap((event) => encodeCompletion(identity, event) ?? []);
  const frames = readFrames(sent.map((piece) => eventFrame(piece.type, piece)).join(""));
  for (const { event } of frames) expect(event).toBe("completion");
  return frames.map(({ data }) => JSON.parse(data) as StreamObject);
}

function folded(events: readonly GenerationEvent[]): StreamObject {
  const fold = foldComplete(identity);
  for (const event of events) fold.add(event);
  return fold.result();
}

describe("the response of a complete request", () => {
  it("is the same as JSON and streamed, for all events", () => {
    fc.assert(
      fc.property(answers, ({ events }) => {
        const pieces = streamOf(events);
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

  it("contains exactly the text of the events", () => {
    fc.assert(
      fc.property(answers, ({ answers: [answer], events }) => {
        expect(folded(events).completion).toBe(answer === undefined ? null : textOf(answer, "text"));
        expect(folded(joinDeltas(events))).toEqual(folded(events));
      }),
    );
  });
});
