/**
 * Models of realistic shape with random weights, written once and stored in the system's temporary folder.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeModel, type ModelSpec } from "../../../test/kit/models/gguf-writer.js";

export interface BenchModel {
  readonly id: string;
  /** A models folder that contains only this model. */
  readonly folder: string;
  readonly file: string;
  readonly bytes: number;
}

export type ModelSize = "small" | "large";

/** ChatML without a reasoning block: every token of an answer is text. */
const chatTemplate =
  "{%- for message in messages -%}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor -%}" +
  "{%- if add_generation_prompt -%}<|im_start|>assistant\n{% endif -%}";

const everySize = {
  architecture: "qwen3",
  weights: "Q8_0",
  // With random weights, a tied head would repeat one token forever.
  tiedHead: false,
  seed: 1,
  chatTemplate,
} as const;

/**
 * `large` costs as much as Qwen3-0.6B in every matrix product and in the KV cache. Qwen3 has 16 query heads
 * of 128; here there are 8, because the writer ties their size to the width, and the feed-forward layer is
 * wider to compensate.
 */
function describeModel(size: ModelSize): Partial<ModelSpec> {
  const vocabularySize = size === "small" ? 12_288 : 151_936;
  const measures =
    size === "small"
      ? { name: "Bench Small", layers: 8, embedding: 384, heads: 6, kvHeads: 2, feedForward: 1024 }
      : { name: "Bench Large", layers: 28, embedding: 1024, heads: 8, kvHeads: 8, feedForward: 3744 };
  return { ...everySize, ...measures, vocabularySize, words: wordsFor(vocabularySize) };
}

/**
 * Returns the model of that size and writes it first if it does not exist.
 * @param contextLength tokens that it claims to be trained with
 */
export async function writeBenchModel(size: ModelSize, contextLength = 8192): Promise<BenchModel> {
  const shape = { ...describeModel(size), contextLength };
  const version = createHash("sha256").update(JSON.stringify(shape)).digest("hex").slice(0, 8);
  const id = `bench-${size}`;
  const folder = join(tmpdir(), "hearth-bench-models", `${id}-${version}`);
  const file = join(folder, `${id}.gguf`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await writeModel(`${file}.part`, shape);
    renameSync(`${file}.part`, file);
  }
  return { id, folder, file, bytes: statSync(file).size };
}

/** Returns a text of this number of words that begins differently from any text of another `kind`. */
export function writeWords(kind: number, words: number): string {
  return Array.from({ length: words }, (_, at) => wordAt(kind * 7919 + at * at + at)).join(" ");
}

/**
 * Returns enough words for a vocabulary of that size: a word and each of its prefixes is a token, with and
 * without a space.
 */
function wordsFor(vocabularySize: number): readonly string[] {
  const words: string[] = [];
  const tokens = new Set<string>();
  for (let at = 0; tokens.size < vocabularySize - 300; at += 1) {
    const word = wordAt(at);
    words.push(word);
    for (const text of [word, ` ${word}`])
      for (let length = 2; length <= text.length; length += 1) tokens.add(text.slice(0, length));
  }
  return words;
}

const syllables = [..."bdfghjklmnprstvz"].flatMap((first) => [..."aeiou"].map((second) => first + second));

/** Returns a word of three syllables; consecutive numbers have very different words. */
function wordAt(at: number): string {
  const count = syllables.length;
  const mixed = (at * 48_271 + 12_345) % count ** 3;
  return [0, 1, 2].map((place) => syllables[Math.floor(mixed / count ** place) % count]).join("");
}
