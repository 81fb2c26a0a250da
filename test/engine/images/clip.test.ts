import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClipTokenizer } from "../../../src/engine/images/clip/tokenizer.js";
import { mergeWord } from "../../../src/engine/images/clip/merge.js";

/** Merges in order; the vocabulary has every letter, every letter at the end of a word, and the merged pieces. */
const merges = ["#version: 0.2", "r e", "re d</w>", "c a", "ca t</w>", "c i", "Ã ©</w>"];
const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789!',.|<>¦ÃĢâ©"];
const pieces = [
  ...letters,
  ...letters.map((letter) => `${letter}</w>`),
  ...["re", "red</w>", "ca", "cat</w>", "ci", "Ã©</w>", "<|startoftext|>", "<|endoftext|>"],
];
const vocabulary = Object.fromEntries(pieces.map((piece, id) => [piece, id]));

const read = (text: string, length = 12, padToken = "<|endoftext|>") => {
  const { ids, read: beginning } = createClipTokenizer({
    vocabulary,
    merges: merges.join("\n"),
    length,
    padToken,
  })(text);
  return { tokens: ids.map((id) => pieces[id]), beginning };
};
const tokensOf = (text: string): readonly (string | undefined)[] =>
  read(text)
    .tokens.filter((token) => token !== "<|endoftext|>")
    .slice(1);

describe("CLIP's tokenizer", () => {
  it.each([
    ["joins what is merged, the first merge first", "red cat", ["red</w>", "cat</w>"]],
    ["knows no capitals", "RED Cat", ["red</w>", "cat</w>"]],
    ["reads any white space as a break", "  red\n\tcat ", ["red</w>", "cat</w>"]],
    ["leaves what is not merged in letters", "tac", ["t", "a", "c</w>"]],
    ["tells the end of a word from its middle", "redred", ["re", "d", "red</w>"]],
    ["takes figures one by one", "12", ["1</w>", "2</w>"]],
    ["splits off the endings of English", "cat's", ["cat</w>", "'", "s</w>"]],
    ["keeps punctuation together", "cat!!", ["cat</w>", "!", "!</w>"]],
    ["reads what is beyond ASCII byte by byte", "é", ["Ã©</w>"]],
    ["reads a letter and its accent as one", "e\u0301", ["Ã©</w>"]],
  ])("%s", (_, text, expected) => {
    expect(tokensOf(text)).toEqual(expected);
  });

  it("adds the start and end tokens and pads to its length", () => {
    expect(read("red", 5).tokens).toEqual([
      "<|startoftext|>",
      "red</w>",
      ...Array<string>(3).fill("<|endoftext|>"),
    ]);
    expect(read("red", 5, "!").tokens.slice(-2)).toEqual(["!", "!"]);
  });

  it("F4: treats special tokens in a text as plain text", () => {
    expect(tokensOf("<|endoftext|>").slice(0, 4)).toEqual(["<", "|</w>", "e", "n"]);
  });

  it("returns the part of a text that it has read", () => {
    expect(read("red cat red", 5).beginning).toBe("red cat red");
    expect(read("Red cat, red", 5)).toEqual({
      tokens: ["<|startoftext|>", "red</w>", "cat</w>", ",</w>", "<|endoftext|>"],
      beginning: "Red cat,",
    });
    expect(read("tactactac", 5).tokens).toEqual(["<|startoftext|>", "t", "a", "c", "<|endoftext|>"]);
  });

  it("returns as many ids as the encoder reads for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(read(text, 77).tokens).toHaveLength(77);
      }),
    );
  });

  it("rejects a vocabulary without start and end tokens", () => {
    const files = { vocabulary: { a: 0 }, merges: "", length: 77, padToken: "!" };
    expect(() => createClipTokenizer(files)).toThrow("no token '<|startoftext|>'");
  });
});

it("merges a word like the naive algorithm", () => {
  const unit = fc.constantFrom("a", "b", "c", "aa", "ab", "bc", "aab", "abc");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(unit, unit), { maxLength: 12 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c") }),
      (pairs, word) => {
        const ranks = new Map(pairs.map(([left, right], rank) => [`${left} ${right}`, rank]));
        expect(mergeWord([...word], ranks)).toEqual(plainly([...word], ranks));
      },
    ),
  );
});

/** The algorithm of the paper: every round checks every pair, and merges the best one everywhere. */
function plainly(word: readonly string[], ranks: ReadonlyMap<string, number>): readonly string[] {
  const rankOf = (at: number): number => ranks.get(`${word[at] ?? ""} ${word[at + 1] ?? ""}`) ?? Infinity;
  const best = Math.min(...word.slice(1).map((_, at) => rankOf(at)));
  if (best === Infinity) return word;
  const merged: string[] = [];
  for (let at = 0; at < word.length; at += 1)
    if (at + 1 < word.length && rankOf(at) === best) merged.push(`${word[at] ?? ""}${word[++at] ?? ""}`);
    else merged.push(word[at] ?? "");
  return plainly(merged, ranks);
}
