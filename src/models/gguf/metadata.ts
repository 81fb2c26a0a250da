/**
 * Reads the key-value part of a GGUF header. Scalars and short texts are stored; of arrays mostly the length.
 */
import { GgufRefusal, grouped, quoted } from "./refusal.js";
import type { Source } from "./source.js";

export type GgufValue = string | number | boolean | readonly number[];

export interface GgufMetadata {
  /** Scalars, texts up to 4 KiB (the chat template: 1 MiB), and arrays of up to 1,024 numbers. */
  readonly values: ReadonlyMap<string, GgufValue>;
  /** The length of every array, by key. */
  readonly arrayLengths: ReadonlyMap<string, number>;
  readonly tokens: TokenList | null;
  /** The ids that `tokenizer.ggml.token_type` marks as byte tokens. */
  readonly byteTokens: readonly number[];
}

const keyBytesMax = 1024;
const textBytesMax = 4 * 1024;
const chatTemplateBytesMax = 1024 * 1024;
const arrayTextsMax = 4 * 1024 * 1024;
const arrayNumbersKeptMax = 1024;
const stringType = 8;
const arrayType = 9;

interface NumberType {
  readonly bytes: number;
  readonly read: (source: Source) => number | boolean;
}

const numberTypes: ReadonlyMap<number, NumberType> = new Map<number, NumberType>([
  [0, { bytes: 1, read: (source) => source.u8() }],
  [1, { bytes: 1, read: (source) => source.i8() }],
  [2, { bytes: 2, read: (source) => source.u16() }],
  [3, { bytes: 2, read: (source) => source.i16() }],
  [4, { bytes: 4, read: (source) => source.u32() }],
  [5, { bytes: 4, read: (source) => source.i32() }],
  [6, { bytes: 4, read: (source) => source.f32() }],
  [7, { bytes: 1, read: (source) => source.u8() !== 0 }],
  [10, { bytes: 8, read: (source) => source.u64() }],
  [11, { bytes: 8, read: (source) => source.i64() }],
  [12, { bytes: 8, read: (source) => source.f64() }],
]);

interface Draft {
  readonly values: Map<string, GgufValue>;
  readonly arrayLengths: Map<string, number>;
  tokens: TokenList | null;
  byteTokens: readonly number[];
}

/** Reads `count` pairs. @throws GgufRefusal */
export async function readMetadata(source: Source, count: number): Promise<GgufMetadata> {
  const draft: Draft = { values: new Map(), arrayLengths: new Map(), tokens: null, byteTokens: [] };
  const keys = new Set<string>();
  for (let i = 0; i < count; i += 1) {
    const key = await readKey(source);
    if (keys.has(key)) throw new GgufRefusal(`its metadata names ${quoted(key)} twice.`);
    keys.add(key);
    await source.fill(4);
    const type = source.u32();
    if (type === arrayType) await readArray(source, key, draft);
    else if (type === stringType) await readString(source, key, draft);
    else await readNumber(source, key, type, draft);
  }
  return draft;
}

async function readKey(source: Source): Promise<string> {
  await source.fill(8);
  const length = source.u64();
  if (length === 0 || length > keyBytesMax)
    throw new GgufRefusal(
      `its metadata has a key of ${grouped(length)} bytes, where 1 to ${keyBytesMax} are allowed.`,
    );
  return source.text(length);
}

async function readNumber(source: Source, key: string, type: number, draft: Draft): Promise<void> {
  const known = numberTypes.get(type);
  if (known === undefined) throw new GgufRefusal(`its metadata ${quoted(key)} has the unknown type ${type}.`);
  await source.fill(known.bytes);
  draft.values.set(key, known.read(source));
}

async function readString(source: Source, key: string, draft: Draft): Promise<void> {
  await source.fill(8);
  const length = source.u64();
  if (length > source.remaining) throw tooLong(key, length, source);
  const isTemplate = key === "tokenizer.chat_template";
  if (isTemplate && length > chatTemplateBytesMax)
    throw new GgufRefusal(
      `its chat template has ${grouped(length)} bytes, more than ${grouped(chatTemplateBytesMax)}.`,
    );
  if (length <= textBytesMax || isTemplate) draft.values.set(key, await source.text(length));
  else source.skip(length);
}

async function readArray(source: Source, key: string, draft: Draft): Promise<void> {
  await source.fill(12);
  const type = source.u32();
  const count = source.u64();
  draft.arrayLengths.set(key, count);
  if (type === arrayType)
    throw new GgufRefusal(`its metadata ${quoted(key)} is an array of arrays, which is not allowed.`);
  if (type === stringType) {
    if (count * 8 > source.remaining) throw tooLong(key, count * 8, source);
    if (key === "tokenizer.ggml.tokens") draft.tokens = await readTokens(source, count);
    else await skipTexts(source, key, count);
    return;
  }
  const known = numberTypes.get(type);
  if (known === undefined)
    throw new GgufRefusal(`its metadata ${quoted(key)} is an array of the unknown type ${type}.`);
  if (count * known.bytes > source.remaining) throw tooLong(key, count * known.bytes, source);
  if (key === "tokenizer.ggml.token_type" && type === 5)
    draft.byteTokens = await readByteTokens(source, count);
  else if (count <= arrayNumbersKeptMax) draft.values.set(key, await readNumbers(source, known, count));
  else source.skip(count * known.bytes);
}

async function skipTexts(source: Source, key: string, count: number): Promise<void> {
  if (count > arrayTextsMax)
    throw new GgufRefusal(`its metadata ${quoted(key)} claims ${grouped(count)} texts, more than are read.`);
  for (let i = 0; i < count; i += 1) {
    if (!source.has(8)) await source.fill(8);
    const length = source.u64();
    if (length > source.remaining) throw tooLong(key, length, source);
    source.skip(length);
  }
}

async function readNumbers(source: Source, type: NumberType, count: number): Promise<readonly number[]> {
  await source.fill(count * type.bytes);
  return Array.from({ length: count }, () => Number(type.read(source)));
}

function tooLong(key: string, length: number, source: Source): GgufRefusal {
  return new GgufRefusal(
    `its metadata ${quoted(key)} claims ${grouped(length)} bytes, where the file has ${grouped(source.remaining)} left.`,
  );
}

// Checks the tokenizer's arrays while reading them, without storing them.

const tokensMax = 2 * 1024 * 1024;
const tokenBytesMax = 64 * 1024;
const byteTokensMax = 4096;
/** llama.cpp's number for the type of byte tokens, whose text is like `<0x0A>`. */
const byteTokenType = 6;
const lowerA = 0x61;
const lowerX = 0x78;
const typesPerRead = 4096;

interface TokenList {
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
async function readTokens(source: Source, count: number): Promise<TokenList> {
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
async function readByteTokens(source: Source, count: number): Promise<readonly number[]> {
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
