import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFrame, doneFrame, eventFrame, pingFrame } from "../../src/dialects/sse.js";

describe("a frame", () => {
  it("carries any text on one data line, so that a reader gets back exactly what was put in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const read: unknown[] = [];
        const parser = createParser({ onEvent: ({ event, data }) => read.push([event, JSON.parse(data)]) });
        parser.feed(pingFrame + dataFrame({ text }) + eventFrame("message.delta", { text }));
        expect(read).toEqual([
          [undefined, { text }],
          ["message.delta", { text }],
        ]);
      }),
    );
  });

  it("is one block that ends with an empty line", () => {
    for (const frame of [dataFrame({ a: "x\n\ny" }), eventFrame("e", {}), doneFrame, pingFrame])
      expect(frame.indexOf("\n\n")).toBe(frame.length - 2);
  });
});
