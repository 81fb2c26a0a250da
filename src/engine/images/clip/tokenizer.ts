/**
 * The tokenizer of CLIP's text encoders, from vocab.json and merges.txt: lower case, byte-level BPE, `</w>` at the end of a
 * word. Special tokens in a text are plain text. After Radford et al. 2021 and its `simple_tokenizer.py` (MIT).
 */
import { UnusableModelError } from "../unusable-model.js";
import { mergeWord } from "./merge.js";

interface ClipFiles {
  /** Content of vocab.json. */
  readonly vocabulary: Readonly<Record<string, number>>;
  /** Content of merges.txt. */
  readonly merges: string;
  /** Number of ids of every text, including the start and end tokens. */
  readonly length: number;
  /** The token that fills the rest. */
  readonly padToken: string;
}

export interface ClipText {
  /** Always `length` ids. */
  readonly ids: readonly number[];
  /** How many of the ids are not padding. */
  readonly tokens: number;
  /** The beginning of the text that the ids represent: all of it, if it fits. */
  readonly read: string;
}

const startToken = "<|startoftext|>";
const endToken = "<|endoftext|>";
const word = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu;

/**
 * Creates the tokenizer. @returns a function that tokenizes a text, and truncates it to the encoder's length, at a word boundary if
 * possible.
 * @throws UnusableModelError when a special token is not in the vocabulary.
 */
export function createClipTokenizer(files: ClipFiles): (text: string) => ClipText {
  const ids = new Map(Object.entries(files.vocabulary));
  const ranks = readRanks(files.merges);
  const findId = (token: string): number => {
    const id = ids.get(token);
    if (id === undefined)
      throw new UnusableModelError(`its vocabulary has no token '${token.slice(0, 64)}'.`);
    return id;
  };
  const [start, end, pad] = [findId(startToken), findId(endToken), findId(files.padToken)];
  const lengthMax = files.length - 2;
  return (text) => {
    const plain = text.normalize("NFC");
    const tokens: number[] = [];
    let readTo = 0;
    for (const match of plain.matchAll(word)) {
      const pieces = mergeWord(spellBytes(match[0].toLowerCase()), ranks).map(
        (piece) => ids.get(piece) ?? end,
      );
      const isWhole = tokens.length + pieces.length <= lengthMax;
      tokens.push(...pieces.slice(0, lengthMax - tokens.length));
      if (!isWhole) break;
      readTo = match.index + match[0].length;
    }
    const isAll = plain.slice(readTo).trim() === "";
    const padding = Array.from({ length: lengthMax - tokens.length }, () => pad);
    return {
      ids: [start, ...tokens, end, ...padding],
      tokens: tokens.length + 2,
      read: isAll ? text : plain.slice(0, readTo),
    };
  };
}

/** Returns the rank of each merge, by the two pieces with a space between; a lower rank is merged first. */
function readRanks(merges: string): ReadonlyMap<string, number> {
  const lines = merges.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#version"));
  return new Map(lines.map((line, rank) => [line, rank]));
}

/** Returns a word's UTF-8 bytes as letters; the last letter ends the word. */
function spellBytes(text: string): string[] {
  const letters = [...new TextEncoder().encode(text)].map((byte) => byteLetters[byte] ?? "");
  return letters.map((letter, place) => (place === letters.length - 1 ? `${letter}</w>` : letter));
}

/** The letter of each byte: printable Latin-1 characters themselves, for the other bytes, in order, letters from U+0100. */
const byteLetters: readonly string[] = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
})();
