import { describe, expect, it } from "vitest";
import { TokenSplitter } from "../../../src/engine/remote/split-tokens.js";
import { createTokenBytes } from "../../../src/engine/language/prompt/token-bytes.js";

/** "é" is C3 A9, "€" is E2 82 AC; a byte-level vocabulary writes bytes as characters of its own. */
const texts = ["a", "Ã", "©", "â", "Ĥ", "¬", "âĤ", "Ĥ¬", "é"];
const types = texts.map(() => 1);
const tokenBytes = createTokenBytes(
  { tokenizer: "gpt2", tokens: texts, types, readableControlTokens: new Set() },
  () => "",
);
const splitter = new TokenSplitter(tokenBytes, texts.length);
const id = (text: string): number => texts.indexOf(text);

describe("tokens that were sampled and not sent", () => {
  it("are found from the bytes of the character that they begin", () => {
    expect(splitter.before(id("©"), Buffer.from("é"), 1)).toEqual([id("Ã")]);
    expect(splitter.before(id("¬"), Buffer.from("€"), 2)).toEqual([id("â"), id("Ĥ")]);
    expect(splitter.before(id("¬"), Buffer.from("€"), 1)).toEqual([id("âĤ")]);
  });

  it("are not guessed: where several tokens may have been sampled, or none, there is no result", () => {
    const twice = createTokenBytes(
      { tokenizer: "gpt2", tokens: [...texts, "Ã"], types: [...types, 1], readableControlTokens: new Set() },
      () => "",
    );
    expect(new TokenSplitter(twice, texts.length + 1).before(id("©"), Buffer.from("é"), 1)).toBeNull();
    expect(splitter.before(id("©"), Buffer.from("é"), 2)).toBeNull();
    expect(splitter.before(id("a"), Buffer.from("é"), 1)).toBeNull();
  });

  it("F23: are not looked for where a server claims that there are thousands", () => {
    const bytes = Buffer.from("a".repeat(20_000));
    for (const count of [65, 20_000, 2 ** 40]) expect(splitter.before(id("a"), bytes, count)).toBeNull();
    expect(splitter.before(id("a"), bytes.subarray(0, 65), 64)).toHaveLength(64);
  });
});
