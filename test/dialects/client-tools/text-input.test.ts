import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textArguments } from "../../../src/dialects/client-tools/text-input.js";
import { readTextInput, TextInputReader } from "../../../src/dialects/client-tools/text-input-reader.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const ascii = (json: string): string =>
  json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("the text of a call", () => {
  it("is read whole from its arguments, however they are split and escaped", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, fc.boolean(), fc.integer({ min: 1, max: 7 }), (input, escapes, size) => {
        const json = escapes ? ascii(textArguments(input)) : textArguments(input);
        const reader = new TextInputReader();
        let read = "";
        for (let at = 0; at < json.length; at += size) {
          const piece = reader.push(json.slice(at, at + size));
          // A half of a character would become a replacement character on the wire.
          if (escapes) expect(piece).not.toMatch(/\p{Surrogate}/u);
          read += piece;
        }
        expect(read).toBe(input);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it.each([
    ["that is cut off", '{"input": "ab\\u00', "ab"],
    ["with spaces", ' { "input" : "a\\/b" } ', "a/b"],
    ["that has no text", '{"other": "a"}', ""],
  ])("is read from arguments %s as far as they go", (_, json, text) => {
    expect(readTextInput(json)).toBe(text);
  });
});
