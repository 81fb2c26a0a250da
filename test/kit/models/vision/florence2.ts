/**
 * Writes a model in the layout of Florence-2: embeddings and features are as in the other test models, the encoder passes them on, and
 * the decoder writes the strongest colour and "picture". It repeats "dark" without end.
 */
import { join } from "node:path";
import { floats, integers, writeOnnx, type OnnxGraph, type ValueInfo } from "../onnx-writer.js";
import {
  colours,
  embedding,
  ends,
  transitions,
  channelProjection,
  plainPixels,
  vocabularyWords,
} from "./parts.js";
import { bos, matrix, tokenizerFiles, vocabularyOf, writeJson } from "./vocabulary.js";

const vocabulary = vocabularyOf(vocabularyWords);
const { size, of } = vocabulary;
const side = 16;

export function writeFlorence2(folder: string): void {
  const language = {
    model_type: "florence2_language",
    d_model: size,
    vocab_size: size,
    encoder_layers: 1,
    decoder_layers: 1,
    encoder_attention_heads: 1,
    decoder_attention_heads: 1,
  };
  writeJson(folder, {
    "config.json": {
      model_type: "florence2",
      architectures: ["Florence2ForConditionalGeneration"],
      is_encoder_decoder: true,
      text_config: language,
      decoder_start_token_id: bos,
      ...ends,
    },
    "generation_config.json": { ...ends, decoder_start_token_id: bos },
    "preprocessor_config.json": {
      image_processor_type: "CLIPImageProcessor",
      processor_class: "Florence2Processor",
      do_convert_rgb: null,
      do_resize: true,
      size: { height: side, width: side },
      do_center_crop: false,
      ...plainPixels,
      tasks_answer_post_processing_type: { "<OCR>": "pure_text", "<MORE_DETAILED_CAPTION>": "pure_text" },
      task_prompts_without_inputs: {
        "<OCR>": "What is the text in the image?",
        "<MORE_DETAILED_CAPTION>": "Describe with a paragraph what is shown in the image.",
      },
      task_prompts_with_input: {},
    },
    ...tokenizerFiles(vocabularyWords),
  });
  writeOnnx(join(folder, "onnx/embed_tokens.onnx"), embedding(vocabulary));
  writeOnnx(join(folder, "onnx/vision_encoder.onnx"), visionEncoder);
  writeOnnx(join(folder, "onnx/encoder_model.onnx"), encoder);
  writeOnnx(join(folder, "onnx/decoder_model_merged.onnx"), decoder);
}

const hidden = (name: string, length: string): ValueInfo => ({
  name,
  type: "float32",
  shape: ["batch_size", length, size],
});
const maskOf = (name: string, length: string): ValueInfo => ({
  name,
  type: "int64",
  shape: ["batch_size", length],
});

const visionEncoder: OnnxGraph = {
  inputs: [{ name: "pixel_values", type: "float32", shape: ["batch_size", 3, side, side] }],
  outputs: [hidden("image_features", "features")],
  constants: { placed: channelProjection(vocabulary), single: integers([0, 1, size]) },
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["pixel_values"],
      outputs: ["mean"],
      attributes: { axes: [2, 3], keepdims: 0 },
    },
    { op: "MatMul", inputs: ["mean", "placed"], outputs: ["seen"] },
    { op: "Reshape", inputs: ["seen", "single"], outputs: ["image_features"] },
  ],
};

const encoder: OnnxGraph = {
  inputs: [hidden("inputs_embeds", "encoder_length"), maskOf("attention_mask", "encoder_length")],
  outputs: [hidden("last_hidden_state", "encoder_length")],
  constants: {},
  nodes: [{ op: "Identity", inputs: ["inputs_embeds"], outputs: ["last_hidden_state"] }],
};

const cached = (name: string, length: string): ValueInfo => ({
  name,
  type: "float32",
  shape: ["batch_size", 1, length, size],
});
const caches = ["decoder", "encoder"].flatMap((side_) => ["key", "value"].map((part) => `${side_}.${part}`));

const decoder: OnnxGraph = {
  inputs: [
    maskOf("encoder_attention_mask", "encoder_length"),
    hidden("encoder_hidden_states", "encoder_length"),
    hidden("inputs_embeds", "decoder_length"),
    ...caches.map((name) => cached(`past_key_values.0.${name}`, "past_length")),
    { name: "use_cache_branch", type: "bool", shape: [1] },
  ],
  outputs: [
    hidden("logits", "decoder_length"),
    ...caches.map((name) => cached(`present.0.${name}`, "length")),
  ],
  constants: {
    heads: integers([0, -1, 1, size]),
    colours: floats(
      [size, size],
      matrix(
        size,
        size,
        colours.map((word) => [of(word), of(word), 10] as const),
      ),
    ),
    follows: floats([size, size], transitions(vocabulary, bos)),
  },
  nodes: [
    ...(["inputs_embeds", "encoder_hidden_states"] as const).flatMap((name) => [
      { op: "Reshape", inputs: [name, "heads"], outputs: [`${name}.split`] },
      {
        op: "Transpose",
        inputs: [`${name}.split`],
        outputs: [`${name}.state`],
        attributes: { perm: [0, 2, 1, 3] },
      },
    ]),
    ...["key", "value"].flatMap((part) => [
      {
        op: "Concat",
        inputs: [`past_key_values.0.decoder.${part}`, "inputs_embeds.state"],
        outputs: [`present.0.decoder.${part}`],
        attributes: { axis: 2 },
      },
      { op: "Identity", inputs: ["encoder_hidden_states.state"], outputs: [`present.0.encoder.${part}`] },
    ]),
    {
      op: "ReduceMax",
      inputs: ["encoder_hidden_states"],
      outputs: ["seen"],
      attributes: { axes: [1], keepdims: 1 },
    },
    { op: "MatMul", inputs: ["seen", "colours"], outputs: ["coloured"] },
    { op: "MatMul", inputs: ["inputs_embeds", "follows"], outputs: ["next"] },
    { op: "Add", inputs: ["next", "coloured"], outputs: ["logits"] },
  ],
};
