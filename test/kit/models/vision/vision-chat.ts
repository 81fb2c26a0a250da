/**
 * Writes vision chat models in the layouts of SmolVLM and Qwen2-VL: words are one-hot embeddings, an image's features are the strength of
 * each colour at the position of its word, and every answer is the strongest colour and "picture". They repeat "dark" without end.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { integers, writeOnnx, type OnnxGraph } from "../onnx-writer.js";
import { chatDecoder } from "./chat-decoder.js";
import { channelProjection, embedding, ends, plainPixels, vocabularyWords } from "./parts.js";
import { tokenizerFiles, vocabularyOf, writeJson, type Vocabulary } from "./vocabulary.js";

const answer = "<answer>";
const template =
  "{% for message in messages %}{% for part in message['content'] %}" +
  "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}" +
  `{% endfor %}{% endfor %}{% if add_generation_prompt %}${answer}{% endif %}`;
/** Features of an image, or of each of its tiles. */
const featuresEach = 2;
const side = 16;

/** Writes SmolVLM or Idefics3, with the chat template in a file of its own. */
export function writeSmolVlm(folder: string, modelType: "smolvlm" | "idefics3" = "smolvlm"): void {
  const rows = [1, 2, 3, 4].flatMap((row) => [1, 2, 3, 4].map((column) => `<row_${row}_col_${column}>`));
  const marks = ["<image>", "<fake_token_around_image>", "<global-img>", ...rows, answer];
  const words = [...vocabularyWords, ...marks];
  const vocabulary = vocabularyOf(words);
  const classes = modelType === "smolvlm" ? "SmolVLM" : "Idefics3";
  writeJson(folder, {
    "config.json": {
      model_type: modelType,
      architectures: [`${classes}ForConditionalGeneration`],
      image_token_id: vocabulary.of("<image>"),
      text_config: textConfig("llama", vocabulary),
      ...ends,
    },
    "generation_config.json": ends,
    "processor_config.json": { processor_class: `${classes}Processor`, image_seq_len: featuresEach },
    "preprocessor_config.json": {
      image_processor_type: `${classes}ImageProcessor`,
      processor_class: `${classes}Processor`,
      do_convert_rgb: true,
      do_resize: true,
      size: { longest_edge: 2 * side },
      resample: 1,
      max_image_size: { longest_edge: side },
      do_image_splitting: true,
      do_pad: true,
      ...plainPixels,
    },
    ...tokenizerFiles(words, marks),
  });
  writeFileSync(join(folder, "chat_template.jinja"), template.replace("IMAGE", "<image>"));
  writeOnnx(join(folder, "onnx/embed_tokens.onnx"), embedding(vocabulary));
  writeOnnx(join(folder, "onnx/vision_encoder.onnx"), tileEncoder(vocabulary));
  writeOnnx(
    join(folder, "onnx/decoder_model_merged.onnx"),
    chatDecoder(vocabulary, { start: answer, positions: [] }),
  );
}

/** Writes Qwen2-VL with graphs named by different number types, as they are published. */
export function writeQwen2Vl(folder: string): void {
  const marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>", answer];
  const words = [...vocabularyWords, ...marks];
  const vocabulary = vocabularyOf(words);
  const patch = 4;
  const merge = 2;
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeJson(folder, {
    "config.json": {
      architectures: ["Qwen2VLForConditionalGeneration"],
      image_token_id: vocabulary.of("<|image_pad|>"),
      video_token_id: vocabulary.of("<|video_pad|>"),
      vision_start_token_id: vocabulary.of("<|vision_start|>"),
      vision_config: { spatial_merge_size: merge },
      ...textConfig("qwen2_vl", vocabulary),
      ...ends,
    },
    "generation_config.json": ends,
    "preprocessor_config.json": {
      image_processor_type: "Qwen2VLImageProcessor",
      processor_class: "Qwen2VLProcessor",
      do_convert_rgb: true,
      do_resize: true,
      min_pixels: 256,
      max_pixels: 1024,
      resample: 3,
      patch_size: patch,
      temporal_patch_size: 2,
      merge_size: merge,
      ...plainPixels,
    },
    ...tokenizerFiles(words, marks, {
      chat_template: template.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"),
    }),
  });
  writeOnnx(join(folder, "onnx/embed_tokens_fp16.onnx"), embedding(vocabulary));
  writeOnnx(
    join(folder, "onnx/vision_encoder_q4.onnx"),
    patchEncoder(vocabulary, 2 * patch * patch, merge * merge),
  );
  writeOnnx(
    join(folder, "onnx/decoder_model_merged_quantized.onnx"),
    chatDecoder(vocabulary, { start: answer, positions: [3] }),
  );
}

function textConfig(modelType: string, { size }: Vocabulary) {
  return {
    model_type: modelType,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    num_key_value_heads: 1,
    hidden_size: size,
    head_dim: size,
    vocab_size: size,
  };
}

/** Encodes each tile as its mean colour. */
function tileEncoder(vocabulary: Vocabulary): OnnxGraph {
  const { size } = vocabulary;
  const tile = ["batch_size", "num_images"] as const;
  return {
    inputs: [
      { name: "pixel_values", type: "float32", shape: [...tile, 3, side, side] },
      { name: "pixel_attention_mask", type: "bool", shape: [...tile, side, side] },
    ],
    outputs: [{ name: "image_features", type: "float32", shape: ["tiles", featuresEach, size] }],
    constants: {
      flat: integers([-1, 3, side * side]),
      single: integers([-1, 1, size]),
      placed: channelProjection(vocabulary),
    },
    nodes: [
      { op: "Reshape", inputs: ["pixel_values", "flat"], outputs: ["channels"] },
      { op: "ReduceMean", inputs: ["channels"], outputs: ["mean"], attributes: { axes: [2], keepdims: 0 } },
      { op: "MatMul", inputs: ["mean", "placed"], outputs: ["seen"] },
      { op: "Reshape", inputs: ["seen", "single"], outputs: ["one"] },
      {
        op: "Concat",
        inputs: Array<string>(featuresEach).fill("one"),
        outputs: ["image_features"],
        attributes: { axis: 1 },
      },
    ],
  };
}

/** Encodes each group of patches as its mean colour. */
function patchEncoder(vocabulary: Vocabulary, pixelsEach: number, group: number): OnnxGraph {
  const { size } = vocabulary;
  return {
    inputs: [
      { name: "pixel_values", type: "float32", shape: ["patches", 3 * pixelsEach] },
      { name: "grid_thw", type: "int64", shape: ["images", 3] },
    ],
    outputs: [{ name: "image_features", type: "float32", shape: ["features", size] }],
    constants: {
      flat: integers([-1, 3, pixelsEach]),
      grouped: integers([-1, group, 3]),
      placed: channelProjection(vocabulary),
    },
    nodes: [
      { op: "Reshape", inputs: ["pixel_values", "flat"], outputs: ["channels"] },
      { op: "ReduceMean", inputs: ["channels"], outputs: ["mean"], attributes: { axes: [2], keepdims: 0 } },
      { op: "Reshape", inputs: ["mean", "grouped"], outputs: ["groups"] },
      { op: "ReduceMean", inputs: ["groups"], outputs: ["merged"], attributes: { axes: [1], keepdims: 0 } },
      { op: "MatMul", inputs: ["merged", "placed"], outputs: ["image_features"] },
    ],
  };
}
