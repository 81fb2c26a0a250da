/**
 * Writes a model in the layout of Moondream 2: the token of an image has a negative id, and config.json states how many of them an image
 * takes. Words are one-hot embeddings; every answer is the strongest colour and "picture". It repeats "dark" without end.
 */
import { join } from "node:path";
import { integers, writeOnnx, type OnnxGraph } from "../onnx-writer.js";
import { chatDecoder } from "./chat-decoder.js";
import { channelProjection, embedding, ends, plainPixels, vocabularyWords } from "./parts.js";
import { tokenizerFiles, vocabularyOf, writeJson } from "./vocabulary.js";

/** The last word of "Answer:". */
const answer = ":";
const words = [...vocabularyWords, "Question", "Answer", answer];
const vocabulary = vocabularyOf(words);
const { size } = vocabulary;
const imageId = -200;
/** Rows of the embedding, so that a lookup of the image's id counts from its end. */
const rows = 256;
const features = 9;
const side = 18;

/** @param config fields of config.json to replace */
export function writeMoondream(folder: string, config: Readonly<Record<string, unknown>> = {}): void {
  const { "tokenizer.json": tokenizer, ...tokenizerConfig } = tokenizerFiles(words);
  const { added_tokens: added, ...rest } = tokenizer as { readonly added_tokens: readonly object[] };
  writeJson(folder, {
    "config.json": {
      model_type: "moondream1",
      architectures: ["Moondream"],
      phi_config: {
        model_type: "phi",
        num_hidden_layers: 1,
        num_attention_heads: 1,
        num_key_value_heads: 1,
        hidden_size: size,
        vocab_size: size,
      },
      image_token_index: imageId,
      num_image_tokens: features,
      ...config,
    },
    "generation_config.json": ends,
    "preprocessor_config.json": {
      image_processor_type: "SiglipImageProcessor",
      processor_class: "SiglipProcessor",
      do_resize: true,
      size: { height: side, width: side },
      resample: 3,
      ...plainPixels,
    },
    "tokenizer.json": { ...rest, added_tokens: [{ ...added[0], id: imageId, content: "<image>" }, ...added] },
    ...tokenizerConfig,
  });
  writeOnnx(join(folder, "onnx/embed_tokens.onnx"), embedding(vocabulary, rows));
  writeOnnx(join(folder, "onnx/vision_encoder.onnx"), visionEncoder);
  writeOnnx(
    join(folder, "onnx/decoder_model_merged.onnx"),
    chatDecoder(vocabulary, { start: answer, positions: [] }),
  );
}

/** Encodes an image as its mean colour, once for each of its tokens. */
const visionEncoder: OnnxGraph = {
  inputs: [{ name: "pixel_values", type: "float32", shape: ["batch_size", 3, side, side] }],
  outputs: [{ name: "image_features", type: "float32", shape: ["batch_size", features, size] }],
  constants: { placed: channelProjection(vocabulary), single: integers([-1, 1, size]) },
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["pixel_values"],
      outputs: ["mean"],
      attributes: { axes: [2, 3], keepdims: 0 },
    },
    { op: "MatMul", inputs: ["mean", "placed"], outputs: ["seen"] },
    { op: "Reshape", inputs: ["seen", "single"], outputs: ["one"] },
    {
      op: "Concat",
      inputs: Array<string>(features).fill("one"),
      outputs: ["image_features"],
      attributes: { axis: 1 },
    },
  ],
};
