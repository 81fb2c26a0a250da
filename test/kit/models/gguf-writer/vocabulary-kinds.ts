/** Builds vocabularies of every kind that llama.cpp tokenizes text with and that few tokens suffice for. */
import type { GgufEntryValue } from "./encode.js";
import { buildVocabulary } from "./vocabulary.js";

/** What a vocabulary contains besides its bytes or letters. */
export interface VocabularyContents {
  readonly words: readonly string[];
  /** Tokens that no text of messages may contain. */
  readonly control: readonly string[];
  /** Tokens that any text may contain, matched before the rest is tokenized. */
  readonly userDefined: readonly string[];
}

/** Entries of a GGUF header that describe a vocabulary. */
export type VocabularyMetadata = Readonly<Record<string, GgufEntryValue>>;

interface Token {
  readonly text: string;
  readonly type: number;
  readonly score?: number;
}

const types = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const;

/** Names of pre-tokenizers, at least one for each regular expression that llama.cpp has; every eighth is a common one. */
export const preTokenizers = `
  llama-bpe deepseek-llm deepseek-coder youtu falcon mpt starcoder jais-2 qwen2 refact command-r qwen35 stablelm2 olmo
  dbrx smaug-bpe gpt-2 poro-chat glm4 viking jais smollm codeshell bloom deepseek-v3 gpt3-finnish exaone exaone4
  exaone-moe chameleon minerva-7b megrez tekken llama4 tiny_aya superbpe trillion granite-docling bailingmoe seed-coder gpt-4o
  hunyuan hunyuan-dense joyai-llm grok-2 afmoe laguna minimax-m2 kimi-k2 solar-open mellum2 minicpm5 lfm2 default
`
  .trim()
  .split(/\s+/);

/** Byte-level BPE, as GPT-2 and most families after it have. @param pre name of its pre-tokenizer. */
export function byteLevel(
  pre: string,
  { words, control, userDefined }: VocabularyContents,
): VocabularyMetadata {
  const { tokens, types: knownTypes, merges } = buildVocabulary(words, 0);
  // Without the marks that every such vocabulary of the tests has.
  const normal = tokens.filter((_, id) => knownTypes[id] === types.normal);
  return metadata("gpt2", [...normal.map(plain), ...special(control, userDefined)], {
    "tokenizer.ggml.pre": { type: "string", value: pre },
    "tokenizer.ggml.merges": { aggregateArrays: "string", values: merges },
  });
}

/** SentencePiece with byte fallback, as Llama 2 and Gemma have. */
export function sentencePiece(addsSpace: boolean, contents: VocabularyContents): VocabularyMetadata {
  const { control, userDefined } = contents;
  const pieces = prefixesOf(contents.words).map((text, index) => ({
    text,
    type: types.normal,
    score: -1 - index,
  }));
  const unknown = { text: "<unk>", type: types.unknown };
  return metadata("llama", [unknown, ...special(control, userDefined), ...bytes(), ...pieces], {
    "tokenizer.ggml.pre": { type: "string", value: "default" },
    "tokenizer.ggml.add_space_prefix": { type: "bool", value: addsSpace },
    "tokenizer.ggml.unknown_token_id": { type: "u32", value: 0 },
  });
}

/** BPE over characters with byte fallback, as Gemma 4 has. */
export function characterBpe({ words, control, userDefined }: VocabularyContents): VocabularyMetadata {
  const pieces = prefixesOf(words);
  const merges = pieces
    .filter((piece) => piece.length > 1)
    .map((piece) => `${piece.slice(0, -1)} ${piece.slice(-1)}`);
  return metadata("gemma4", [...special(control, userDefined), ...bytes(), ...pieces.map(plain)], {
    "tokenizer.ggml.merges": { aggregateArrays: "string", values: merges },
  });
}

/** WordPiece, as BERT has. */
export function wordPiece({ words, control, userDefined }: VocabularyContents): VocabularyMetadata {
  const letters = [...new Set([...words.join(""), ...sampleLetters])].filter(
    (letter) => letter.trim() !== "",
  );
  const pieces = [
    ...new Set([...letters, ...letters.map((letter) => `\u2581${letter}`), ...words.map(start)]),
  ];
  const unknown = { text: "[UNK]", type: types.control };
  return metadata("bert", [unknown, ...special(control, userDefined), ...pieces.map(plain)], {
    "tokenizer.ggml.unknown_token_id": { type: "u32", value: 0 },
    "tokenizer.ggml.bos_token_id": { type: "u32", value: 1 },
    "tokenizer.ggml.eos_token_id": { type: "u32", value: 2 },
    "tokenizer.ggml.seperator_token_id": { type: "u32", value: 2 },
  });
}

/** Unigram, as T5 has. */
export function unigram({ words, control, userDefined }: VocabularyContents): VocabularyMetadata {
  const letters = [...new Set([...sampleLetters, "\u2581"])];
  const pieces = [...new Set([...letters, ...words.map(start), ...words])];
  const scored = pieces.map((text, index) => ({ text, type: types.normal, score: -2 - index / 50 }));
  const unknown = { text: "<unk>", type: types.unknown };
  return metadata("t5", [unknown, ...special(control, userDefined), ...scored], {
    "tokenizer.ggml.unknown_token_id": { type: "u32", value: 0 },
    "tokenizer.ggml.add_space_prefix": { type: "bool", value: true },
  });
}

const sampleLetters = "abcdefghijklmnopqrstuvwxyzHI0123456789<>|/[]_.,!?'";

function start(word: string): string {
  return `\u2581${word.trim()}`;
}

function plain(text: string): Token {
  return { text, type: types.normal };
}

function special(control: readonly string[], userDefined: readonly string[]): readonly Token[] {
  return [
    ...control.map((text) => ({ text, type: types.control })),
    ...userDefined.map((text) => ({ text, type: types.userDefined })),
  ];
}

function bytes(): readonly Token[] {
  return Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
    type: types.byte,
  }));
}

/** Returns every beginning of every word with and without a space before it, shorter ones first, and some letters. */
function prefixesOf(words: readonly string[]): readonly string[] {
  const spelled = words.flatMap((word) => [word, ` ${word}`]).map((word) => word.replaceAll(" ", "\u2581"));
  const prefixes = spelled.flatMap((word) =>
    Array.from({ length: word.length }, (_, index) => word.slice(0, index + 1)),
  );
  return [...new Set([...sampleLetters, ...prefixes])];
}

/** A text that a special token has is no ordinary token. The first control token begins every prompt, the second ends every answer. */
function metadata(model: string, all: readonly Token[], more: VocabularyMetadata): VocabularyMetadata {
  const marked = new Set(all.filter(({ type }) => type !== types.normal).map(({ text }) => text));
  const tokens = all.filter(({ type, text }) => type !== types.normal || !marked.has(text));
  const first = tokens.findIndex(({ type }) => type === types.control);
  return {
    "tokenizer.ggml.model": { type: "string", value: model },
    "tokenizer.ggml.tokens": { aggregateArrays: "string", values: tokens.map(({ text }) => text) },
    "tokenizer.ggml.token_type": { aggregateArrays: "i32", values: tokens.map(({ type }) => type) },
    "tokenizer.ggml.scores": { aggregateArrays: "f32", values: tokens.map(({ score = 0 }) => score) },
    "tokenizer.ggml.bos_token_id": { type: "u32", value: first },
    "tokenizer.ggml.eos_token_id": { type: "u32", value: first + 1 },
    ...more,
  };
}
