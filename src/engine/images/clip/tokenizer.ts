/**
 * The tokenizer of CLIP's text encoders, from vocab.json and merges.txt: lower case, byte-level BPE, `</w>` at the end of a
 * word. Special tokens that are written in a text are plain text. After Radford et al. 2021 and its `simple_tokenizer.py` (MIT).
 */
import { Unusable } from "../unusable.js";
import { mergeWord } from "./merge.js";

export interface ClipFiles {
  /** Of vocab.json. */
  readonly vocabulary: Readonly<Record<string, number>>;
  /** Of merges.txt. */
  readonly merges: string;
  /** Ids that a text is made up to, those at both ends among them. */
  readonly length: number;
  /** The token that fills what is left. */
  readonly padToken: string;
}

export interface ClipText {
  /** As many as the encoder reads. */
  readonly ids: readonly number[];
  /** The beginning of the text that they stand for: all of it, where it fits. */
  readonly read: string;
}

const startToken = "<|startoftext|>";
const endToken = "<|endoftext|>";
const word = /'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu;

/**
 * Builds it. @returns reads a text; what is more than the encoder takes is left out, a whole word at a time where it can be.
 * @throws Unusable when a special token is not in the vocabulary.
 */
export function createClipTokenizer(files: ClipFiles): (text: string) => ClipText {
  const ids = new Map(Object.entries(files.vocabulary));
  const ranks = ranksOf(files.merges);
  const idOf = (token: string): number => {
    const id = ids.get(token);
    if (id === undefined) throw new Unusable(`its vocabulary has no token '${token.slice(0, 64)}'.`);
    return id;
  };
  const [start, end, pad] = [idOf(startToken), idOf(endToken), idOf(files.padToken)];
  const room = files.length - 2;
  return (text) => {
    const plain = text.normalize("NFC");
    const tokens: number[] = [];
    let readTo = 0;
    for (const match of plain.matchAll(word)) {
      const pieces = mergeWord(bytesOf(match[0].toLowerCase()), ranks).map((piece) => ids.get(piece) ?? end);
      const isWhole = tokens.length + pieces.length <= room;
      tokens.push(...pieces.slice(0, room - tokens.length));
      if (!isWhole) break;
      readTo = match.index + match[0].length;
    }
    const isAll = plain.slice(readTo).trim() === "";
    const padding = Array.from({ length: room - tokens.length }, () => pad);
    return { ids: [start, ...tokens, end, ...padding], read: isAll ? text : plain.slice(0, readTo) };
  };
}

/** The place of each merge in the list, by the two pieces with a space between; what comes first is merged first. */
function ranksOf(merges: string): ReadonlyMap<string, number> {
  const lines = merges.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#version"));
  return new Map(lines.map((line, rank) => [line, rank]));
}

/** A word's UTF-8 bytes, each as the letter that stands for it; the last one ends the word. */
function bytesOf(text: string): string[] {
  const letters = [...new TextEncoder().encode(text)].map((byte) => byteLetters[byte] ?? "");
  return letters.map((letter, place) => (place === letters.length - 1 ? `${letter}</w>` : letter));
}

/** Printable Latin-1 stands for itself; the other bytes, in order, for the letters from U+0100. */
const byteLetters: readonly string[] = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
})();
