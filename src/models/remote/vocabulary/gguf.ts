/**
 * Writes a GGUF file that has a vocabulary and a chat template. Its tensors belong to the smallest model that llama.cpp estimates the
 * memory of before it loads a vocabulary; all are zero.
 */
import type { Vocabulary } from "./vocabulary.js";

/** What a model's files say of it, apart from its vocabulary. */
export interface LanguageFacts {
  readonly name: string;
  readonly contextTokens: number;
  readonly template: string | null;
  readonly bosToken: number | null;
  readonly eosToken: number;
  readonly padToken: number | null;
  /** Further tokens that end answers. */
  readonly otherEndTokens: readonly number[];
  readonly addsBos: boolean;
}

type Value =
  | { readonly type: "u32" | "f32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly value: readonly string[] }
  | { readonly type: "i32s" | "f32s"; readonly value: readonly number[] };

const version = 3;
/** GGUF's numbers of types. */
const types = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const f32Tensor = 0;
const alignment = 32;
const architecture = "llama";
/** The width of embeddings and of all layers. */
const width = 2;

/** Returns the whole file. */
export function encodeVocabulary(vocabulary: Vocabulary, facts: LanguageFacts): Buffer {
  const entries = Object.entries({ ...modelEntries(facts), ...vocabularyEntries(vocabulary, facts) });
  const tensors = tensorsFor(vocabulary.tokens.length);
  let offset = 0;
  const descriptions = tensors.map(([name, dimensions]) => {
    const at = offset;
    offset += aligned(4 * dimensions.reduce((product, size) => product * size, 1));
    return [text(name), u32(dimensions.length), ...dimensions.map(u64), u32(f32Tensor), u64(at)];
  });
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(version),
    u64(tensors.length),
    u64(entries.length),
    ...entries.map(([key, value]) => Buffer.concat([text(key), encode(value)])),
    ...descriptions.flat(),
  ]);
  return Buffer.concat([header, Buffer.alloc(aligned(header.length) - header.length + offset)]);
}

type Tensor = readonly [name: string, dimensions: readonly number[]];

function tensorsFor(tokens: number): readonly Tensor[] {
  const matrices = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_down", "ffn_up"];
  return [
    ["token_embd.weight", [width, tokens]],
    ["output_norm.weight", [width]],
    ["blk.0.attn_norm.weight", [width]],
    ["blk.0.ffn_norm.weight", [width]],
    ...matrices.map((name): Tensor => [`blk.0.${name}.weight`, [width, width]]),
  ];
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

function modelEntries({ name, contextTokens }: LanguageFacts): Readonly<Record<string, Value>> {
  return {
    "general.architecture": { type: "string", value: architecture },
    "general.name": { type: "string", value: name },
    [`${architecture}.context_length`]: { type: "u32", value: contextTokens },
    [`${architecture}.embedding_length`]: { type: "u32", value: width },
    [`${architecture}.block_count`]: { type: "u32", value: 1 },
    [`${architecture}.feed_forward_length`]: { type: "u32", value: width },
    [`${architecture}.attention.head_count`]: { type: "u32", value: 1 },
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: "f32", value: 1e-5 },
  };
}

function vocabularyEntries(vocabulary: Vocabulary, facts: LanguageFacts): Readonly<Record<string, Value>> {
  const { tokenizer, preTokenizer, tokens, types: tokenTypes, merges, scores, addsSpace } = vocabulary;
  const { template, bosToken, eosToken, padToken, otherEndTokens, addsBos } = facts;
  const [eot, eom] = otherEndTokens;
  const entries: readonly (readonly [string, Value | null])[] = [
    ["model", { type: "string", value: tokenizer }],
    ["pre", { type: "string", value: preTokenizer }],
    ["tokens", { type: "strings", value: tokens }],
    ["token_type", { type: "i32s", value: tokenTypes }],
    ["merges", merges.length === 0 ? null : { type: "strings", value: merges }],
    ["scores", scores.length === 0 ? null : { type: "f32s", value: scores }],
    // Without one, llama.cpp assumes a number that is another token.
    ["bos_token_id", { type: "u32", value: bosToken ?? eosToken }],
    ["eos_token_id", { type: "u32", value: eosToken }],
    ["eot_token_id", eot === undefined ? null : { type: "u32", value: eot }],
    ["eom_token_id", eom === undefined ? null : { type: "u32", value: eom }],
    ["padding_token_id", padToken === null ? null : { type: "u32", value: padToken }],
    ["add_bos_token", { type: "bool", value: addsBos && bosToken !== null }],
    ["add_eos_token", { type: "bool", value: false }],
    ["add_space_prefix", { type: "bool", value: addsSpace }],
  ];
  const named = entries.flatMap(([name, value]) =>
    value === null ? [] : [[`tokenizer.ggml.${name}`, value] as const],
  );
  const chat: readonly (readonly [string, Value])[] =
    template === null ? [] : [["tokenizer.chat_template", { type: "string", value: template }]];
  return Object.fromEntries([...named, ...chat]);
}

function encode(entry: Value): Buffer {
  switch (entry.type) {
    case "u32":
      return Buffer.concat([u32(types.u32), u32(entry.value)]);
    case "f32":
      return Buffer.concat([u32(types.f32), numbers(Float32Array.of(entry.value))]);
    case "bool":
      return Buffer.concat([u32(types.bool), Buffer.of(entry.value ? 1 : 0)]);
    case "string":
      return Buffer.concat([u32(types.string), text(entry.value)]);
    case "strings":
      return Buffer.concat([writeArrayHeader(types.string, entry.value.length), ...entry.value.map(text)]);
    case "i32s":
      return Buffer.concat([
        writeArrayHeader(types.i32, entry.value.length),
        numbers(Int32Array.from(entry.value)),
      ]);
    case "f32s":
      return Buffer.concat([
        writeArrayHeader(types.f32, entry.value.length),
        numbers(Float32Array.from(entry.value)),
      ]);
  }
}

function writeArrayHeader(type: number, length: number): Buffer {
  return Buffer.concat([u32(types.array), u32(type), u64(length)]);
}

/** Every processor that the engine runs on stores the least significant byte first, as GGUF does. */
function numbers(values: Int32Array | Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

function text(value: string): Buffer {
  const length = Buffer.byteLength(value);
  const buffer = Buffer.alloc(8 + length);
  buffer.writeBigUInt64LE(BigInt(length));
  buffer.write(value, 8);
  return buffer;
}

function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function u64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}
