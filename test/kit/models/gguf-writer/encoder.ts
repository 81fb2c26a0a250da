/** Writes encoders with random weights, as real embedding and rerank models have them: BERT, and Nomic's with rotary positions. */
import type { GgufEntryValue, GgufHeaderSpec, GgufTensor } from "./encode.js";
import { piecesOf } from "./pieces.js";
import { weightBytes, weightTypeNumbers } from "./weights.js";

export interface EncoderSpec {
  readonly architecture: "bert" | "nomic-bert";
  /** llama.cpp's number: 1 mean, 2 first token, 3 last token, 4 rank; null: the file does not say. */
  readonly pooling: number | null;
  readonly embedding: number;
  readonly contextLength: number;
  readonly seed: number;
  /** Words that are single tokens; each other word is one unknown token. */
  readonly words: readonly string[];
}

const standard: EncoderSpec = {
  architecture: "bert",
  pooling: 1,
  embedding: 32,
  contextLength: 64,
  seed: 1,
  words: ["a", "cat", "dog", "sat", "on", "the", "mat", "rug"],
};

const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const feedForward = 64;
const heads = 2;

/** Returns a whole model as bytes. */
export function encoderBytes(changes: Partial<EncoderSpec> = {}): Buffer {
  const spec = { ...standard, ...changes };
  const tokens = [...special, ...spec.words.map((word) => `\u2581${word}`)];
  const header: GgufHeaderSpec = {
    metadata: metadataOf(spec, tokens),
    tensors: tensorsOf(spec, tokens.length),
  };
  return Buffer.concat([...piecesOf(header, { seed: spec.seed })]);
}

function metadataOf(spec: EncoderSpec, tokens: readonly string[]): Map<string, GgufEntryValue> {
  const { architecture } = spec;
  const entries: [string, GgufEntryValue][] = [
    ["general.architecture", { type: "string", value: architecture }],
    [`${architecture}.context_length`, { type: "u32", value: spec.contextLength }],
    [`${architecture}.embedding_length`, { type: "u32", value: spec.embedding }],
    [`${architecture}.block_count`, { type: "u32", value: 1 }],
    [`${architecture}.feed_forward_length`, { type: "u32", value: feedForward }],
    [`${architecture}.attention.head_count`, { type: "u32", value: heads }],
    [`${architecture}.attention.layer_norm_epsilon`, { type: "f32", value: 1e-12 }],
    [`${architecture}.attention.causal`, { type: "bool", value: false }],
    ["tokenizer.ggml.model", { type: "string", value: "bert" }],
    ["tokenizer.ggml.tokens", { aggregateArrays: "string", values: tokens }],
    [
      "tokenizer.ggml.token_type",
      { aggregateArrays: "i32", values: tokens.map((_, id) => (id < 5 ? 3 : 1)) },
    ],
    ["tokenizer.ggml.token_type_count", { type: "u32", value: 2 }],
    ["tokenizer.ggml.padding_token_id", { type: "u32", value: 0 }],
    ["tokenizer.ggml.unknown_token_id", { type: "u32", value: 1 }],
    ["tokenizer.ggml.bos_token_id", { type: "u32", value: 2 }],
    ["tokenizer.ggml.cls_token_id", { type: "u32", value: 2 }],
    ["tokenizer.ggml.seperator_token_id", { type: "u32", value: 3 }],
    ["tokenizer.ggml.mask_token_id", { type: "u32", value: 4 }],
  ];
  if (architecture === "nomic-bert")
    entries.push([`${architecture}.rope.freq_base`, { type: "f32", value: 10_000 }]);
  if (spec.pooling !== null)
    entries.push([`${architecture}.pooling_type`, { type: "u32", value: spec.pooling }]);
  return new Map(entries);
}

function tensorsOf(spec: EncoderSpec, vocabularySize: number): readonly GgufTensor[] {
  const { embedding, architecture, contextLength } = spec;
  const tensor = (name: string, ...dimensions: number[]): GgufTensor => ({
    name,
    dimensions,
    type: weightTypeNumbers.F32,
    bytes: weightBytes(
      "F32",
      dimensions.reduce((product, size) => product * size, 1),
    ),
  });
  const norm = (name: string): readonly GgufTensor[] => [
    tensor(`${name}.weight`, embedding),
    tensor(`${name}.bias`, embedding),
  ];
  const isNomic = architecture === "nomic-bert";
  return [
    tensor("token_embd.weight", embedding, vocabularySize),
    ...(isNomic ? [] : [tensor("position_embd.weight", embedding, contextLength)]),
    ...norm("token_embd_norm"),
    tensor("blk.0.attn_q.weight", embedding, embedding),
    tensor("blk.0.attn_k.weight", embedding, embedding),
    tensor("blk.0.attn_v.weight", embedding, embedding),
    tensor("blk.0.attn_output.weight", embedding, embedding),
    ...norm("blk.0.attn_output_norm"),
    tensor("blk.0.ffn_up.weight", embedding, feedForward),
    ...(isNomic ? [tensor("blk.0.ffn_gate.weight", embedding, feedForward)] : []),
    tensor("blk.0.ffn_down.weight", feedForward, embedding),
    ...norm("blk.0.layer_output_norm"),
    ...(spec.pooling === 4 ? [tensor("cls.output.weight", embedding, 1)] : []),
  ];
}
