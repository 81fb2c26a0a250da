import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type TextPart,
  AnswerText,
  type AnswerTextOptions,
} from "../../../src/engine/language/answer/answer-text.js";

interface Folded {
  readonly text: string;
  readonly reasoning: string;
  readonly textTokens: number;
  readonly reasoningTokens: number;
  readonly stoppedBy: string | null;
  readonly taken: number;
}

const think = { open: "<think>", close: "</think>" };

/** Feeds each piece as one token, like the engine: stops after a stop sequence. */
function fold(pieces: readonly Uint8Array[], options: Partial<AnswerTextOptions> = {}): Folded {
  const answer = new AnswerText({ marks: think, startsInReasoning: false, stop: [], ...options });
  const deltas: TextPart[] = [];
  let taken = 0;
  for (const piece of pieces) {
    deltas.push(...answer.push(piece));
    taken += 1;
    if (answer.stoppedBy !== null) break;
  }
  deltas.push(...answer.finish());
  const of = (type: TextPart["type"]): TextPart[] => deltas.filter((delta) => delta.type === type);
  const sum = (list: TextPart[]): number => list.reduce((total, delta) => total + delta.tokens, 0);
  return {
    text: of("text")
      .map((delta) => delta.text)
      .join(""),
    reasoning: of("reasoning")
      .map((delta) => delta.text)
      .join(""),
    textTokens: sum(of("text")),
    reasoningTokens: sum(of("reasoning")),
    stoppedBy: answer.stoppedBy,
    taken,
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const singly = (text: string): Uint8Array[] => [...bytes(text)].map((byte) => Uint8Array.of(byte));

/** Splits a text's bytes at random places, also inside characters. */
const cutText = fc
  .tuple(fc.string({ unit: "grapheme", maxLength: 60 }), fc.array(fc.nat(), { maxLength: 20 }))
  .map(([text, cuts]) => {
    const all = bytes(text);
    const places = [...new Set([0, all.length, ...cuts.map((cut) => cut % (all.length + 1))])].sort(
      (a, b) => a - b,
    );
    return { text, pieces: places.slice(1).map((end, index) => all.subarray(places[index], end)) };
  });

describe("the text of an answer", () => {
  it("is the same text, in whole characters, however it is split into tokens", () => {
    fc.assert(
      fc.property(cutText, ({ text, pieces }) => {
        const answer = new AnswerText({ marks: null, startsInReasoning: false, stop: [] });
        const deltas = [...pieces.flatMap((piece) => answer.push(piece)), ...answer.finish()];
        for (const delta of deltas) expect(Buffer.from(delta.text).toString()).toBe(delta.text);
        expect(deltas.map((delta) => delta.text).join("")).toBe(text);
        expect(deltas.reduce((sum, delta) => sum + delta.tokens, 0)).toBe(pieces.length);
      }),
    );
  });

  it("ends before a stop sequence, however it is split into tokens, and counts every sampled token", () => {
    fc.assert(
      fc.property(
        cutText,
        fc.constantFrom("STOP", "é", "🙂", "aa", "\n\n"),
        cutText,
        (before, stop, after) => {
          const pieces = [...before.pieces, ...singly(stop), ...after.pieces];
          const whole = before.text + stop + after.text;
          const folded = fold(pieces, { marks: null, stop: [stop] });
          expect(folded.text).toBe(whole.slice(0, whole.indexOf(stop)));
          expect(folded.stoppedBy).toBe(stop);
          expect(folded.textTokens).toBe(folded.taken);
        },
      ),
    );
  });

  it("holds back no text that cannot become a stop sequence", () => {
    const answer = new AnswerText({ marks: null, startsInReasoning: false, stop: ["END"] });
    expect(answer.push(bytes("abcE"))).toEqual([{ type: "text", text: "abc", tokens: 1, logprobs: [] }]);
    expect(answer.push(bytes("N"))).toEqual([]);
    expect(answer.push(bytes("x"))).toEqual([{ type: "text", text: "ENx", tokens: 2, logprobs: [] }]);
  });

  it("has the log probabilities of exactly its own tokens", () => {
    const space = fc.constantFrom("", "\n\n", " ");
    fc.assert(
      fc.property(
        fc.option(fc.string({ unit: "grapheme", maxLength: 8 })),
        space,
        cutText,
        fc.boolean(),
        (reasoning, gap, { text, pieces }, stops) => {
          const before = reasoning === null ? "" : `<think>${reasoning}</think>${gap}`;
          const stop = singly(stops ? "STOP" : "");
          const ask = (said: readonly Uint8Array[]): [string, string] => {
            const answer = new AnswerText({ marks: think, startsInReasoning: false, stop: ["STOP"] });
            const out = [...singly(before), ...said, ...stop].flatMap((token) =>
              answer.push(token, { text: "", bytes: [...token], logprob: 0, top: [] }),
            );
            const texts = [...out, ...answer.finish()].filter(({ type }) => type === "text");
            const told = texts.flatMap(({ logprobs }) => logprobs).flatMap(({ bytes: each }) => each);
            return [texts.map((piece) => piece.text).join(""), Buffer.from(told).toString()];
          };
          const whole = reasoning === null ? text : text.trimStart();
          expect(ask(singly(text))).toEqual([whole, whole]);
          // A longer token may contain trimmed white space and text after it.
          const [shown, told] = ask(pieces);
          expect([shown, told.trimStart()]).toEqual([whole, whole.trimStart()]);
        },
      ),
    );
  });

  it("drops an incomplete character at the end", () => {
    const cut = singly("a🙂").slice(0, 3);
    const folded = fold(cut, { marks: null });
    expect(folded.text).toBe("a");
    expect(folded.textTokens).toBe(3);
  });

  it("separates a reasoning block from the answer, and counts its markers as reasoning", () => {
    for (const pieces of [
      [bytes("<think>\nTwo and two.\n</think>\n\nFour.")],
      singly("<think>\nTwo and two.\n</think>\n\nFour."),
    ]) {
      const folded = fold(pieces);
      expect(folded.reasoning).toBe("Two and two.");
      expect(folded.text).toBe("Four.");
      expect(folded.textTokens + folded.reasoningTokens).toBe(pieces.length);
    }
  });

  it("reads a block that the prompt opened, and one that never closes, as reasoning", () => {
    expect(fold(singly("Hm.</think>Yes."), { startsInReasoning: true })).toMatchObject({
      reasoning: "Hm.",
      text: "Yes.",
    });
    expect(fold(singly("<think>Hm"))).toMatchObject({ reasoning: "Hm", text: "", reasoningTokens: 9 });
  });

  it("begins after a mark that ends reasoning which has not begun", () => {
    expect(fold(singly(" </think>\n\nYes."))).toMatchObject({ reasoning: "", text: "Yes." });
    expect(fold(singly("</thin"))).toMatchObject({ reasoning: "", text: "</thin" });
    expect(fold(singly("Yes </think>"))).toMatchObject({ reasoning: "", text: "Yes </think>" });
  });

  it("is calls where reasoning that is not closed ends with them, and only then", () => {
    const isCalls = (text: string): boolean => /^(?:<call>\w+<\/call>)+$/.test(text);
    const options = { callsInReasoning: { openings: ["<call>"], isCalls } };
    const read = (text: string): Folded => fold(singly(text), options);
    expect(read("<think>A tool. <call>f</call><call>g</call>")).toMatchObject({
      reasoning: "A tool.",
      text: "<call>f</call><call>g</call>",
    });
    expect(read("<think>A <call> it is</think>Yes.")).toMatchObject({
      reasoning: "A <call> it is",
      text: "Yes.",
    });
    expect(read("<think>A <call>f</call>? No.</think>Yes.")).toMatchObject({
      reasoning: "A <call>f</call>? No.",
      text: "Yes.",
    });
    expect(read("<think>A <call>f</call>? No.")).toMatchObject({
      reasoning: "A <call>f</call>? No.",
      text: "",
    });
    expect(read("<think>A <call>f</ca")).toMatchObject({ reasoning: "A <call>f</ca", text: "" });
  });

  it("may be followed by another block where the marks are control tokens", () => {
    const marks = { open: "<|channel>thought", close: "<channel|>" };
    const whole =
      "<|channel>thought\nHm.<channel|>Yes.<|channel>thought\nOr?<channel|>No.<|channel>thought\n<channel|>";
    expect(fold(singly(whole), { marks })).toMatchObject({ reasoning: "Hm.Or?", text: "Yes.No." });
    expect(fold(singly("Yes. <think>No."))).toMatchObject({ reasoning: "", text: "Yes. <think>No." });
  });

  it("is searched for stop sequences in the answer only, not in the reasoning", () => {
    const folded = fold(singly("<think>a stop b</think>c stop d"), { stop: ["stop"] });
    expect(folded).toMatchObject({ reasoning: "a stop b", text: "c ", stoppedBy: "stop" });
  });

  it("keeps markers in answers of a model without reasoning, and after the answer has begun", () => {
    expect(fold(singly("<think>x</think>y"), { marks: null }).text).toBe("<think>x</think>y");
    expect(fold(singly("so <think>x</think>y")).text).toBe("so <think>x</think>y");
  });

  it("keeps the white space of an answer that has no reasoning block", () => {
    expect(fold(singly("  <thin air")).text).toBe("  <thin air");
  });
});
