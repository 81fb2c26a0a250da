import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFrame, doneFrame, eventFrame, pingFrame } from "../../src/dialects/sse.js";

describe("a frame", () => {
  it("contains any text in one data line, from which a reader gets exactly the original text", () => {
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

  it("has at most two lines even for a reader that splits lines at other characters than line feed", () => {
    const text = "a\u0085b\u2028c\u2029d";
    const frame = eventFrame("e", { text });
    expect(frame.trimEnd().split(/[\n\u0085\u2028\u2029]/)).toHaveLength(2);
    expect(JSON.parse(frame.split("data: ")[1] ?? "")).toEqual({ text });
  });

  it("is one block that ends with an empty line", () => {
    for (const frame of [dataFrame({ a: "x\n\ny" }), eventFrame("e", {}), doneFrame, pingFrame])
      expect(frame.indexOf("\n\n")).toBe(frame.length - 2);
  });
});
