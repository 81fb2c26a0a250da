/** The vocabulary of the scripted engine: a token is a word, numbered in order of first use. */

/** Splits a text into words, each with the white space before it. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

export interface ScriptedVocabulary {
  encode(text: string): Uint32Array;
  decode(tokens: Uint32Array): string;
}

/** Creates an empty vocabulary, which grows with the texts it encodes. */
export function createScriptedVocabulary(): ScriptedVocabulary {
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
