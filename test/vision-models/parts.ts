/** What the test's seeing models have in common: what they say, how words are embedded, what follows on what. */
import { floats, type OnnxGraph } from "../onnx-writer.js";
import { bos, eos, matrix, type Vocabulary } from "./words.js";

/** In the order of the channels that they are seen in. */
export const colours = ["red", "green", "blue"];
export const spoken = [...colours, "dark", "picture"];
export const ends = { bos_token_id: bos, eos_token_id: eos, pad_token_id: 0 };
export const plainPixels = { do_rescale: true, rescale_factor: 1 / 255, do_normalize: false };

/** A word is its own embedding. */
export function embedding({ size }: Vocabulary): OnnxGraph {
  return {
    inputs: [{ name: "input_ids", type: "int64", shape: ["batch_size", "sequence_length"] }],
    outputs: [{ name: "inputs_embeds", type: "float32", shape: ["batch_size", "sequence_length", size] }],
    constants: {
      words: floats(
        [size, size],
        matrix(
          size,
          size,
          Array.from({ length: size }, (_, at) => [at, at, 1] as const),
        ),
      ),
    },
    nodes: [{ op: "Gather", inputs: ["words", "input_ids"], outputs: ["inputs_embeds"] }],
  };
}

/** From three channels to the places of their words. */
export function placed(vocabulary: Vocabulary) {
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

/** After the start a colour, or "dark" where there is none; after a colour "picture"; after that the end. */
export function follows({ size, of }: Vocabulary, start: number): readonly number[] {
  return matrix(size, size, [
    ...colours.map((colour) => [start, of(colour), 20] as const),
    [start, of("dark"), 22],
    ...colours.map((colour) => [of(colour), of("picture"), 40] as const),
    [of("dark"), of("dark"), 40],
    [of("picture"), eos, 40],
  ]);
}
