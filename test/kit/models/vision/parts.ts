/** Common parts of the test vision models: their words, the embedding of words, and the transitions between words. */
import { floats, type OnnxGraph } from "../onnx-writer.js";
import { bos, eos, matrix, type Vocabulary } from "./vocabulary.js";

/** In the order of the colour channels. */
export const colours = ["red", "green", "blue"];
export const vocabularyWords = [...colours, "dark", "picture"];
export const ends = { bos_token_id: bos, eos_token_id: eos, pad_token_id: 0 };
export const plainPixels = { do_rescale: true, rescale_factor: 1 / 255, do_normalize: false };

/** Embeds each word as a one-hot vector. @param rows more rows than words are zeros. */
export function embedding({ size }: Vocabulary, rows = size): OnnxGraph {
  return {
    inputs: [{ name: "input_ids", type: "int64", shape: ["batch_size", "sequence_length"] }],
    outputs: [{ name: "inputs_embeds", type: "float32", shape: ["batch_size", "sequence_length", size] }],
    constants: {
      words: floats(
        [rows, size],
        matrix(
          rows,
          size,
          Array.from({ length: size }, (_, at) => [at, at, 1] as const),
        ),
      ),
    },
    nodes: [{ op: "Gather", inputs: ["words", "input_ids"], outputs: ["inputs_embeds"] }],
  };
}

/** Maps the three channels to the positions of their words. */
export function channelProjection(vocabulary: Vocabulary) {
  const { size, of } = vocabulary;
  return floats(
    [3, size],
    matrix(
      3,
      size,
      colours.map((word, channel) => [channel, of(word), 1] as const),
    ),
  );
}

/** Transitions: after the start token a colour, or "dark" without one; after a colour "picture"; then the end token. */
export function transitions({ size, of }: Vocabulary, start: number): readonly number[] {
  return matrix(size, size, [
    ...colours.map((colour) => [start, of(colour), 20] as const),
    [start, of("dark"), 22],
    ...colours.map((colour) => [of(colour), of("picture"), 40] as const),
    [of("dark"), of("dark"), 40],
    [of("picture"), eos, 40],
  ]);
}
