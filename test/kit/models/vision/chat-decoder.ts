/** The decoder of the test vision chat models. */
import { floats, integers, type OnnxGraph, type OnnxNode } from "../onnx-writer.js";
import { colours, transitions } from "./parts.js";
import { matrix, type Vocabulary } from "./vocabulary.js";

export interface ChatDecoderOptions {
  /** The last word of every prompt, which the answer follows. */
  readonly start: string;
  /** Axes of `position_ids` before its batch: none, or one of three numbers for each token. */
  readonly positions: readonly number[];
}

/** Stores every embedding in the key-value cache; the next word depends on the last word and on the strongest colour. */
export function chatDecoder(vocabulary: Vocabulary, { start, positions }: ChatDecoderOptions): OnnxGraph {
  const { size, of } = vocabulary;
  const past = ["batch_size", 1, "past_sequence_length", size] as const;
  const present = ["batch_size", 1, "total_sequence_length", size] as const;
  const nodes: OnnxNode[] = [
    { op: "Reshape", inputs: ["inputs_embeds", "heads"], outputs: ["split"] },
    { op: "Transpose", inputs: ["split"], outputs: ["state"], attributes: { perm: [0, 2, 1, 3] } },
    ...["key", "value"].map((part) => ({
      op: "Concat",
      inputs: [`past_key_values.0.${part}`, "state"],
      outputs: [`present.0.${part}`],
      attributes: { axis: 2 },
    })),
    {
      op: "ReduceMax",
      inputs: ["present.0.key"],
      outputs: ["strongest"],
      attributes: { axes: [1, 2], keepdims: 0 },
    },
    { op: "Reshape", inputs: ["strongest", "single"], outputs: ["seen"] },
    { op: "MatMul", inputs: ["seen", "colours"], outputs: ["coloured"] },
    { op: "MatMul", inputs: ["inputs_embeds", "follows"], outputs: ["next"] },
    { op: "Add", inputs: ["next", "coloured"], outputs: ["logits"] },
  ];
  return {
    inputs: [
      { name: "inputs_embeds", type: "float32", shape: ["batch_size", "sequence_length", size] },
      { name: "attention_mask", type: "int64", shape: ["batch_size", "total_sequence_length"] },
      { name: "position_ids", type: "int64", shape: [...positions, "batch_size", "sequence_length"] },
      { name: "past_key_values.0.key", type: "float32", shape: past },
      { name: "past_key_values.0.value", type: "float32", shape: past },
    ],
    outputs: [
      { name: "logits", type: "float32", shape: ["batch_size", "sequence_length", size] },
      { name: "present.0.key", type: "float32", shape: present },
      { name: "present.0.value", type: "float32", shape: present },
    ],
    constants: {
      heads: integers([0, -1, 1, size]),
      single: integers([0, 1, size]),
      colours: floats(
        [size, size],
        matrix(
          size,
          size,
          colours.map((word) => [of(word), of(word), 10] as const),
        ),
      ),
      follows: floats([size, size], transitions(vocabulary, of(start))),
    },
    nodes,
  };
}
