/**
 * Reads the key-value part of a GGUF header. Scalars and short texts are stored; of arrays mostly the length.
 */
import { GgufRefusal, grouped, quoted } from "./refusal.js";
import type { Source } from "./source.js";
import { readByteTokens, readTokens, type TokenList } from "./vocabulary.js";

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
