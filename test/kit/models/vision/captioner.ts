/**
 * Writes a captioning model in the layout of Xenova/vit-gpt2-image-captioning: its caption is the strongest colour channel of an image,
 * then "picture". For a dark image it repeats "dark" without end, so that a test can stop it.
 */
import { join } from "node:path";
import { floats, integers, writeOnnx, type OnnxGraph, type OnnxNode } from "../onnx-writer.js";
import { bos, eos, matrix, tokenizerFiles, vocabularyOf, writeJson } from "./vocabulary.js";

const words = ["red", "green", "blue", "dark", "picture"];
const vocabulary = vocabularyOf(words);
const width = 3;
const side = 16;
const heads = 1;

/** Writes a captioning model whose every step takes some tenths of a second, like a real one's. */
export function writeSlowCaptioner(folder: string): void {
  writeCaptioner(folder);
  writeOnnx(join(folder, "onnx/decoder_model_merged.onnx"), slowed(decoder_));
}

/** Writes configuration, tokenizer and the two graphs into the folder. */
export function writeCaptioner(folder: string): void {
  const decoder = {
    model_type: "gpt2",
    n_layer: 1,
    n_head: heads,
    n_embd: width,
    n_positions: 128,
    vocab_size: vocabulary.size,
    bos_token_id: bos,
    eos_token_id: eos,
    is_decoder: true,
    add_cross_attention: true,
  };
  const ends = { bos_token_id: bos, eos_token_id: eos, pad_token_id: 0, decoder_start_token_id: bos };
  writeJson(folder, {
    "config.json": {
      model_type: "vision-encoder-decoder",
      architectures: ["VisionEncoderDecoderModel"],
      is_encoder_decoder: true,
      encoder: { model_type: "vit", hidden_size: width, image_size: side },
      decoder,
      ...ends,
    },
    "generation_config.json": ends,
    "preprocessor_config.json": {
      image_processor_type: "ViTImageProcessor",
      do_resize: true,
      size: { height: side, width: side },
      resample: 2,
      do_rescale: true,
      rescale_factor: 1 / 255,
      do_normalize: false,
    },
    ...tokenizerFiles(words),
  });
  writeOnnx(join(folder, "onnx/encoder_model.onnx"), encoder);
  writeOnnx(join(folder, "onnx/decoder_model_merged.onnx"), decoder_);
}

/** The mean of each channel, as a sequence of one. */
const encoder: OnnxGraph = {
  inputs: [{ name: "pixel_values", type: "float32", shape: ["batch_size", 3, side, side] }],
  outputs: [{ name: "last_hidden_state", type: "float32", shape: ["batch_size", 1, width] }],
  constants: { shape: integers([0, 1, width]) },
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["pixel_values"],
      outputs: ["mean"],
      attributes: { axes: [2, 3], keepdims: 0 },
    },
    { op: "Reshape", inputs: ["mean", "shape"], outputs: ["last_hidden_state"] },
  ],
};

const past = ["batch_size", heads, "past_decoder_sequence_length", width] as const;
const present = ["batch_size", heads, "total_sequence_length", width] as const;

/** The next word depends on the last word, and after the start token on the colour; the key-value cache is passed on but not used. */
const decoder_: OnnxGraph = {
  inputs: [
    { name: "input_ids", type: "int64", shape: ["batch_size", "decoder_sequence_length"] },
    {
      name: "encoder_hidden_states",
      type: "float32",
      shape: ["batch_size", "encoder_sequence_length", width],
    },
    { name: "past_key_values.0.key", type: "float32", shape: past },
    { name: "past_key_values.0.value", type: "float32", shape: past },
  ],
  outputs: [
    { name: "logits", type: "float32", shape: ["batch_size", "decoder_sequence_length", vocabulary.size] },
    { name: "present.0.key", type: "float32", shape: present },
    { name: "present.0.value", type: "float32", shape: present },
  ],
  constants: {
    follows: floats([vocabulary.size, vocabulary.size], transitions()),
    colours: floats(
      [width, vocabulary.size],
      matrix(
        width,
        vocabulary.size,
        words.slice(0, 3).map((word, channel) => [channel, vocabulary.of(word), 10]),
      ),
    ),
    embedding: floats([vocabulary.size, width], matrix(vocabulary.size, width, [])),
    shape: integers([0, -1, heads, width]),
  },
  nodes: [
    { op: "Gather", inputs: ["follows", "input_ids"], outputs: ["next"] },
    {
      op: "ReduceMean",
      inputs: ["encoder_hidden_states"],
      outputs: ["seen"],
      attributes: { axes: [1], keepdims: 1 },
    },
    { op: "MatMul", inputs: ["seen", "colours"], outputs: ["coloured"] },
    { op: "Add", inputs: ["next", "coloured"], outputs: ["logits"] },
    { op: "Gather", inputs: ["embedding", "input_ids"], outputs: ["embedded"] },
    { op: "Reshape", inputs: ["embedded", "shape"], outputs: ["split"] },
    { op: "Transpose", inputs: ["split"], outputs: ["state"], attributes: { perm: [0, 2, 1, 3] } },
    {
      op: "Concat",
      inputs: ["past_key_values.0.key", "state"],
      outputs: ["present.0.key"],
      attributes: { axis: 2 },
    },
    {
      op: "Concat",
      inputs: ["past_key_values.0.value", "state"],
      outputs: ["present.0.value"],
      attributes: { axis: 2 },
    },
  ],
};

const busySide = 1500;
const products = 6;

/** Adds products of large zero matrices to the logits; they depend on the input, so that the runtime cannot precompute them. */
function slowed(graph: OnnxGraph): OnnxGraph {
  const products_: OnnxNode[] = Array.from({ length: products }, (_, at) => ({
    op: "MatMul",
    inputs: [`busy${at}`, `busy${at}`],
    outputs: [`busy${at + 1}`],
  }));
  return {
    ...graph,
    constants: { ...graph.constants, zero: floats([], [0]), busyShape: integers([busySide, busySide]) },
    nodes: [
      ...graph.nodes.map((node) => ({
        ...node,
        outputs: node.outputs.map((name) => (name === "logits" ? "quick" : name)),
      })),
      {
        op: "ReduceMean",
        inputs: ["encoder_hidden_states"],
        outputs: ["level"],
        attributes: { keepdims: 0 },
      },
      { op: "Mul", inputs: ["level", "zero"], outputs: ["nothing"] },
      { op: "Expand", inputs: ["nothing", "busyShape"], outputs: ["busy0"] },
      ...products_,
      { op: "ReduceMean", inputs: [`busy${products}`], outputs: ["still"], attributes: { keepdims: 0 } },
      { op: "Add", inputs: ["quick", "still"], outputs: ["logits"] },
    ],
  };
}

/** Transitions: after the start token a colour, or "dark" without one; after a colour "picture"; then the end token. */
function transitions(): readonly number[] {
  const { size, of } = vocabulary;
  return matrix(size, size, [
    ...words.slice(0, 3).map((colour) => [bos, of(colour), 20] as const),
    [bos, of("dark"), 22],
    ...words.slice(0, 3).map((colour) => [of(colour), of("picture"), 40] as const),
    [of("dark"), of("dark"), 40],
    [of("picture"), eos, 40],
  ]);
}
