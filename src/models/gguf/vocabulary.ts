/** Checks the tokenizer's arrays while reading them, without storing them. */
import { GgufRefusal, grouped } from "./refusal.js";
import type { Source } from "./source.js";

const tokensMax = 2 * 1024 * 1024;
const tokenBytesMax = 64 * 1024;
const byteTokensMax = 4096;
/** llama.cpp's number for the type of byte tokens, whose text is like `<0x0A>`. */
const byteTokenType = 6;
const lowerA = 0x61;
const lowerX = 0x78;
const typesPerRead = 4096;

export interface TokenList {
  readonly count: number;
  /** The ids of the tokens with a text like `<0xHH>`. */
  readonly byteTexts: ReadonlySet<number>;
  /**
   * The number of bytes (of 256) that have a token, written with upper-case digits as the tokenizer looks
   * them up.
   */
  readonly bytes: number;
}

/**
 * Reads `tokenizer.ggml.tokens`. @throws GgufRefusal for a token that is too long or occurs twice: llama.cpp
 * asserts on both
 */
export async function readTokens(source: Source, count: number): Promise<TokenList> {
  if (count > tokensMax)
    throw new GgufRefusal(
      `it claims ${grouped(count)} tokens, more than the ${grouped(tokensMax)} that are read.`,
    );
  const hashes = new Float64Array(Math.min(count, Math.floor(source.remaining / 8)));
  const byteTexts = new Set<number>();
  let bytes = 0;
  for (let id = 0; id < count; id += 1) {
    if (!source.has(8)) await source.fill(8);
    const length = source.u64();
    if (length > tokenBytesMax)
      throw new GgufRefusal(`token ${id} claims a length of ${grouped(length)} bytes, which is too long.`);
    if (!source.has(length)) await source.fill(length);
    const text = source.view(length);
    // llama.cpp names empty tokens by their id, so they never conflict; the negative number keeps them
    // distinct here.
    hashes[id] = length === 0 ? -1 - id : hash(text);
    if (!isByteText(text) || byteTexts.size >= byteTokensMax) continue;
    byteTexts.add(id);
    if (text.every((code) => code < lowerA || code === lowerX)) bytes += 1;
  }
  if (hasTwins(hashes)) throw new GgufRefusal("its vocabulary holds the same token twice.");
  return { count, byteTexts, bytes };
}

/** Reads `tokenizer.ggml.token_type` (32-bit integers). @returns the ids of the byte tokens */
export async function readByteTokens(source: Source, count: number): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let from = 0; from < count; from += typesPerRead) {
    const to = Math.min(count, from + typesPerRead);
    await source.fill((to - from) * 4);
    for (let id = from; id < to; id += 1) if (source.i32() === byteTokenType) ids.push(id);
    if (ids.length > byteTokensMax) throw new GgufRefusal("it has more byte tokens than there are bytes.");
  }
  return ids;
}

/**
 * Returns 53 bits of two FNV-1a lanes. In a vocabulary of 256k tokens, the chance that two tokens share a
 * hash is 1 in 270,000.
 */
function hash(text: Uint8Array): number {
  let a = 0x811c9dc5;
  let b = 0x1b873593 ^ text.length;
  for (const byte of text) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b);
    b ^= b >>> 15;
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}

function hasTwins(hashes: Float64Array): boolean {
  hashes.sort();
  for (let i = 1; i < hashes.length; i += 1) if (hashes[i] === hashes[i - 1]) return true;
  return false;
}

function isByteText(text: Uint8Array): boolean {
  if (text.length !== 6 || text[0] !== 0x3c || text[1] !== 0x30 || text[2] !== 0x78 || text[5] !== 0x3e)
    return false;
  return isHexDigit(text[3]) && isHexDigit(text[4]);
}

function isHexDigit(code: number | undefined): boolean {
  if (code === undefined) return false;
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
