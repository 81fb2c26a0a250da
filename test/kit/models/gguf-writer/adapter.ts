/** Writes LoRA adapters with random weights for the models of gguf-writer.ts. */
import { modelHeader, type ModelSpec } from "../gguf-writer.js";
import type { GgufEntryValue, GgufTensor } from "./encode.js";
import { piecesOf } from "./pieces.js";
import { weightBytes, weightTypeNumbers } from "./weights.js";

export interface AdapterSpec {
  /** The model that it adapts. */
  readonly base: Partial<ModelSpec>;
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number;
  /** Matrices that it changes. */
  readonly matrices: RegExp;
  /** Entries to add or replace. */
  readonly metadata: Readonly<Record<string, GgufEntryValue>>;
}

const standard: AdapterSpec = {
  base: {},
  rank: 4,
  alpha: 4,
  seed: 1,
  matrices: /^blk\.\d+\.(attn|ffn)_(q|k|v|output|up|down|gate)\.weight$/,
  metadata: {},
};

/** Returns a whole adapter as bytes. Its changes are as large as the weights that they change. */
export function adapterBytes(changes: Partial<AdapterSpec> = {}): Buffer {
  const { base, rank, alpha, seed, matrices, metadata } = { ...standard, ...changes };
  const tensors = modelHeader(base)
    .tensors.filter(({ name }) => matrices.test(name))
    .flatMap(({ name, dimensions: [inputs = 0, outputs = 0] }) => [
      matrix(`${name}.lora_a`, Number(inputs), rank),
      matrix(`${name}.lora_b`, rank, Number(outputs)),
    ]);
  const entries: Record<string, GgufEntryValue> = {
    "general.architecture": { type: "string", value: base.architecture ?? "qwen3" },
    "general.type": { type: "string", value: "adapter" },
    "general.name": { type: "string", value: "Random adapter" },
    "adapter.type": { type: "string", value: "lora" },
    "adapter.lora.alpha": { type: "f32", value: alpha },
    ...metadata,
  };
  const header = { metadata: new Map(Object.entries(entries)), tensors };
  return Buffer.concat([...piecesOf(header, { seed })]);
}

function matrix(name: string, columns: number, rows: number): GgufTensor {
  const bytes = weightBytes("F32", columns * rows);
  return { name, dimensions: [columns, rows], type: weightTypeNumbers.F32, bytes };
}
