/**
 * Writes GGUF models with random weights: real files of any shape that the engine loads in milliseconds. Their text means
 * nothing; their speed, size and tokens are real. A tiny one keeps its output head apart from its embedding: a random head
 * that is tied repeats one token without end.
 */
import { open } from "node:fs/promises";
import { architectureOf, type ArchitectureName } from "./gguf-writer/architectures.js";
import type { GgufEntryValue, GgufHeaderSpec, GgufTensor } from "./gguf-writer/encode.js";
import { piecesOf } from "./gguf-writer/pieces.js";
import {
  buildPieces,
  buildVocabulary,
  type TokenizerName,
  type Vocabulary,
} from "./gguf-writer/vocabulary.js";
import { weightBytes, weightTypeNumbers, type WeightType } from "./gguf-writer/weights.js";

export interface ModelSpec {
  readonly architecture: ArchitectureName;
  readonly name: string;
  readonly layers: number;
  readonly embedding: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
  readonly contextLength: number;
  readonly weights: WeightType;
  readonly tiedHead: boolean;
  readonly seed: number;
  readonly tokenizer: TokenizerName;
  /** Words that are single tokens. */
  readonly words: readonly string[];
  /** Control tokens of a vocabulary of byte-level BPE, beside the tokens of ChatML. */
  readonly controlTokens: readonly string[];
  /** Whether it never writes a byte that is no printable ASCII; its head must not be tied. */
  readonly writesAscii: boolean;
  /** Tokens to fill a vocabulary of byte-level BPE up to; 0 = none. */
  readonly vocabularySize: number;
  readonly chatTemplate: string | null;
  /** Rows of a classifier after the last layer; 0 = there is none. */
  readonly classes: number;
  /** Entries to add or replace; null takes one out. */
  readonly metadata: Readonly<Record<string, GgufEntryValue | null>>;
}

/** ChatML with an optional open think block, as the Qwen family has it. */
const chatTemplate =
  "{%- for message in messages -%}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor -%}" +
  "{%- if add_generation_prompt -%}<|im_start|>assistant\n{% if enable_thinking is defined and not enable_thinking -%}" +
  "<think>\n\n</think>\n\n{% endif %}{%- endif -%}";

/** Words that are single tokens of a model for which no others are named. */
export const randomModelWords = ["hello", "world", "the", "user", "assistant", "system"];

const tiny: ModelSpec = {
  architecture: "qwen3",
  name: "Tiny Random",
  layers: 2,
  embedding: 64,
  heads: 2,
  kvHeads: 1,
  feedForward: 128,
  contextLength: 2048,
  weights: "Q8_0",
  tiedHead: false,
  seed: 1,
  tokenizer: "gpt2",
  words: randomModelWords,
  controlTokens: [],
  writesAscii: false,
  vocabularySize: 0,
  chatTemplate,
  classes: 0,
  metadata: {},
};

/** Returns a model's header, for tests that modify it before it is written. */
export function modelHeader(changes: Partial<ModelSpec> = {}): GgufHeaderSpec {
  const spec = { ...tiny, ...changes };
  const vocabulary =
    spec.tokenizer === "gpt2"
      ? buildVocabulary(spec.words, spec.vocabularySize, spec.controlTokens)
      : buildPieces(spec.words);
  return { metadata: metadataOf(spec, vocabulary), tensors: tensorsOf(spec, vocabulary) };
}

/** Returns a whole model as bytes; for small models. */
export function modelBytes(changes: Partial<ModelSpec> = {}): Buffer {
  return Buffer.concat([...piecesOf(modelHeader(changes), { ...tiny, ...changes })]);
}

/** Writes a model of any size, piece by piece. @returns its size in bytes. */
export async function writeModel(path: string, changes: Partial<ModelSpec> = {}): Promise<number> {
  const file = await open(path, "w");
  let bytes = 0;
  try {
    for (const piece of piecesOf(modelHeader(changes), { ...tiny, ...changes })) {
      await file.write(piece);
      bytes += piece.length;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

function metadataOf(spec: ModelSpec, vocabulary: Vocabulary): Map<string, GgufEntryValue> {
  const { architecture } = spec;
  const headSize = spec.embedding / spec.heads;
  const metadata = new Map<string, GgufEntryValue>([
    ["general.architecture", { type: "string", value: architecture }],
    ["general.type", { type: "string", value: "model" }],
    ["general.name", { type: "string", value: spec.name }],
    [`${architecture}.context_length`, { type: "u32", value: spec.contextLength }],
    [`${architecture}.embedding_length`, { type: "u32", value: spec.embedding }],
    [`${architecture}.block_count`, { type: "u32", value: spec.layers }],
    [`${architecture}.feed_forward_length`, { type: "u32", value: spec.feedForward }],
    [`${architecture}.attention.head_count`, { type: "u32", value: spec.heads }],
    [`${architecture}.attention.head_count_kv`, { type: "u32", value: spec.kvHeads }],
    [`${architecture}.attention.key_length`, { type: "u32", value: headSize }],
    [`${architecture}.attention.value_length`, { type: "u32", value: headSize }],
    [`${architecture}.attention.layer_norm_rms_epsilon`, { type: "f32", value: 1e-6 }],
    [`${architecture}.rope.dimension_count`, { type: "u32", value: headSize }],
    [`${architecture}.rope.freq_base`, { type: "f32", value: 10000 }],
    ["tokenizer.ggml.model", { type: "string", value: spec.tokenizer }],
    ["tokenizer.ggml.pre", { type: "string", value: spec.tokenizer === "gpt2" ? "qwen2" : "default" }],
    ["tokenizer.ggml.tokens", { aggregateArrays: "string", values: vocabulary.tokens }],
    ["tokenizer.ggml.token_type", { aggregateArrays: "i32", values: vocabulary.types }],
    spec.tokenizer === "gpt2"
      ? ["tokenizer.ggml.merges", { aggregateArrays: "string", values: vocabulary.merges }]
      : ["tokenizer.ggml.scores", { aggregateArrays: "f32", values: vocabulary.scores }],
    ["tokenizer.ggml.eos_token_id", { type: "u32", value: vocabulary.eosId }],
    ["tokenizer.ggml.padding_token_id", { type: "u32", value: vocabulary.padId }],
    ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
  ]);
  for (const [key, value] of Object.entries(architectureOf(architecture).metadata?.(spec, spec.layers) ?? {}))
    metadata.set(`${architecture}.${key}`, value);
  if (spec.chatTemplate !== null)
    metadata.set("tokenizer.chat_template", { type: "string", value: spec.chatTemplate });
  for (const [key, value] of Object.entries(spec.metadata)) {
    if (value === null) metadata.delete(key);
    else metadata.set(key, value);
  }
  return metadata;
}

/** Tensors that llama.cpp computes with in this type only. */
const alwaysFloat = /\.bias$|^blk\.\d+\.shortconv\.conv\./;

function tensorsOf(spec: ModelSpec, { tokens, types }: Vocabulary): readonly GgufTensor[] {
  const { embedding } = spec;
  const vocabularySize = tokens.length;
  const { layer, whole, lastNorm = "output_norm", alwaysTied = false } = architectureOf(spec.architecture);
  const tensor = (name: string, dimensions: readonly number[]): GgufTensor => {
    const type = dimensions.length === 1 || alwaysFloat.test(name) ? "F32" : spec.weights;
    const elements = dimensions.reduce((product, size) => product * size, 1);
    return { name, dimensions, type: weightTypeNumbers[type], bytes: weightBytes(type, elements) };
  };
  const tensors = [tensor("token_embd.weight", [embedding, vocabularySize])];
  for (const [name, dimensions] of Object.entries(whole?.(spec) ?? {}))
    tensors.push(tensor(name, dimensions));
  for (let at = 0; at < spec.layers; at += 1)
    for (const [name, dimensions] of Object.entries(layer(spec, at)))
      tensors.push(tensor(`blk.${at}.${name}`, dimensions));
  tensors.push(tensor(`${lastNorm}.weight`, [embedding]));
  if (spec.classes > 0) tensors.push(tensor("cls.output.weight", [embedding, spec.classes]));
  if (!spec.tiedHead && !alwaysTied) {
    const head = tensor("output.weight", [embedding, vocabularySize]);
    const isSilent = (id: number): boolean =>
      types[id] !== 1 || !/^[\x21-\x7e\u0120]*$/.test(tokens[id] ?? "");
    tensors.push(spec.writesAscii ? { ...head, isZeroRow: isSilent } : head);
  }
  return tensors;
}
