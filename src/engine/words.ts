/** The tokens of the test engine: words, numbered in the order in which they are first seen. */

/** The words of a text, each with the white space before it. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

export interface Words {
  encode(text: string): Uint32Array;
  decode(tokens: Uint32Array): string;
}

/** Starts with an empty vocabulary, which grows with the texts. */
export function createWords(): Words {
  const ids = new Map<string, number>();
  const texts: string[] = [];
  const idOf = (word: string): number => {
    const known = ids.get(word);
    if (known !== undefined) return known;
    ids.set(word, texts.length);
    return texts.push(word) - 1;
  };
  return {
    encode: (text) => Uint32Array.from(splitWords(text), idOf),
    decode: (tokens) => Array.from(tokens, (id) => texts[id] ?? "").join(""),
  };
}
