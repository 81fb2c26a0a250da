/** The vocabulary and tokenizer of the test vision models: one token per word. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const special = ["<pad>", "<s>", "</s>", "<unk>"] as const;
export const bos = 1;
export const eos = 2;

/** Words by id; colours are in the order of the channels. */
export interface Vocabulary {
  readonly size: number;
  readonly of: (word: string) => number;
}

export function vocabularyOf(words: readonly string[]): Vocabulary {
  const all = [...special, ...words];
  return {
    size: all.length,
    of(word) {
      const at = all.indexOf(word);
      if (at < 0) throw new Error(`no word ${word}`);
      return at;
    },
  };
}

/** Writes JSON files by path into a folder. */
export function writeJson(folder: string, files: Readonly<Record<string, unknown>>): void {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
}

/** tokenizer.json and tokenizer_config.json. @param added words that are tokens anywhere in a text. */
export function tokenizerFiles(
  words: readonly string[],
  added: readonly string[] = [],
  config: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const all = [...special, ...words];
  const whole = [...special, ...added];
  return {
    "tokenizer.json": {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: whole.map((content) => ({
        id: all.indexOf(content),
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
      normalizer: null,
      pre_tokenizer: { type: "Whitespace" },
      post_processor: null,
      decoder: { type: "WordPiece", prefix: "##", cleanup: false },
      model: {
        type: "WordPiece",
        unk_token: "<unk>",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(all.map((word, id) => [word, id])),
      },
    },
    "tokenizer_config.json": {
      tokenizer_class: "PreTrainedTokenizerFast",
      bos_token: "<s>",
      eos_token: "</s>",
      pad_token: "<pad>",
      unk_token: "<unk>",
      model_max_length: 2048,
      clean_up_tokenization_spaces: false,
      ...config,
    },
  };
}

/** Returns a matrix of zeros except for the given elements, row by row. */
export function matrix(
  rows: number,
  columns: number,
  entries: readonly (readonly [row: number, column: number, value: number])[],
): readonly number[] {
  const values = new Array<number>(rows * columns).fill(0);
  for (const [row, column, value] of entries) values[row * columns + column] = value;
  return values;
}
