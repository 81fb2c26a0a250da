/** Writes the files of tokenizers in the layout of Hugging Face: of the built-in model, and small ones as SentencePiece's are converted. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGgufFileInfo } from "node-llama-cpp";
import { byteLetter } from "../../kit/models/gguf-writer/vocabulary.js";
import { root } from "../../kit/folder.js";
import { builtInModel } from "../../kit/server/settings.js";

export type Json = Readonly<Record<string, unknown>>;

export interface TokenizerFiles {
  readonly tokenizer: Json;
  readonly tokenizerConfig: Json;
  readonly config: Json;
  readonly generationConfig?: Json;
  readonly template?: string;
}

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const rest = String.raw`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const qwen2Words = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}${rest}`;
export const llama3Words = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}${rest}`;
export const qwen35Words = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
/** With line ends themselves in it, as the file has them. */
export const deepSeekWords =
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

export const splitBy = (regex: string): Json => ({
  type: "Split",
  pattern: { Regex: regex },
  behavior: "Isolated",
  invert: false,
});
export const inBytes = (usesRegex: boolean): Json => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: usesRegex,
});
export const sequence = (...pretokenizers: readonly Json[]): Json => ({ type: "Sequence", pretokenizers });

/** Returns the files of the built-in chat model, as it would be published for vLLM. */
export async function builtInFiles(): Promise<TokenizerFiles> {
  const { metadata } = await readGgufFileInfo(join(root, "models", builtInModel, `${builtInModel}.gguf`));
  const { ggml, chat_template } = metadata.tokenizer ?? {};
  const [tokens, merges] = [ggml?.tokens ?? [], ggml?.merges ?? []];
  const types = Array.from(ggml?.token_type ?? [], Number);
  const vocab: Record<string, number> = {};
  const added: Json[] = [];
  for (const [id, text] of tokens.entries())
    if (types[id] === 1) vocab[text] = id;
    else added.push({ id, content: text, special: types[id] === 3, lstrip: false, rstrip: false });
  return {
    tokenizer: {
      added_tokens: added,
      normalizer: { type: "NFC" },
      pre_tokenizer: sequence(splitBy(qwen2Words), inBytes(false)),
      post_processor: inBytes(false),
      decoder: inBytes(false),
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: "",
        end_of_word_suffix: "",
        byte_fallback: false,
        ignore_merges: false,
        vocab,
        merges: merges.map((pair) => pair.split(" ")),
      },
    },
    tokenizerConfig: {
      bos_token: null,
      eos_token: { __type: "AddedToken", content: "<|im_end|>" },
      pad_token: "<|endoftext|>",
      add_bos_token: false,
      chat_template,
    },
    config: { model_type: "qwen3", max_position_embeddings: 8192, vocab_size: tokens.length },
  };
}

/** Characters of every kind that words are cut by. */
export const kindsOfCharacters = [..."aZéÉßǅʰªا日ー\u0301\u093f1२Ⅷ½.'!/_$+€😀 \n\r\t\u00a0\u3000"];

/** Adds a token for each pair of these characters to a byte-level vocabulary, so that tokens show where a word ends. */
export function withPairs(files: TokenizerFiles): TokenizerFiles {
  const { model, added_tokens: added } = files.tokenizer as {
    readonly model: {
      readonly vocab: Readonly<Record<string, number>>;
      readonly merges: readonly string[][];
    };
    readonly added_tokens: readonly { readonly id: number }[];
  };
  const vocab = { ...model.vocab };
  const merges = [...model.merges];
  let next = Math.max(...Object.values(vocab), ...added.map(({ id }) => id)) + 1;
  const join = (left: string, right: string): string => {
    const whole = left + right;
    if (!Object.hasOwn(vocab, whole)) {
      vocab[whole] = next++;
      merges.push([left, right]);
    }
    return whole;
  };
  const letters = kindsOfCharacters.map((character) =>
    Array.from(Buffer.from(character), (byte) => byteLetter(byte)).reduce(join),
  );
  for (const left of letters) for (const right of letters) join(left, right);
  const { vocab_size: _size, ...config } = files.config;
  return withModel({ ...files, config }, { vocab, merges });
}

/** Returns the files of a SentencePiece model with these words, as converters of Hugging Face write them. */
export function sentencePieceFiles(words: readonly string[], addsSpace: boolean): TokenizerFiles {
  const special = ["<unk>", "<s>", "</s>"];
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const letters = [..."▁abcdefghijklmnopqrstuvwxyzHW0123456789.,!?éß日本"];
  const parts = words.flatMap((word) => [word, `▁${word}`]).flatMap((word) => prefixesOf(word));
  const pieces = [...new Set([...letters, ...parts])];
  const vocab = Object.fromEntries([...special, ...bytes, ...pieces].map((text, id) => [text, id]));
  // The pairs that make a piece are listed together, the pieces in the order of their scores.
  const merges = pieces.flatMap((piece) => {
    const characters = [...piece];
    return characters
      .slice(1)
      .map((_, at) => [characters.slice(0, at + 1).join(""), characters.slice(at + 1).join("")] as const)
      .filter(([left, right]) => Object.hasOwn(vocab, left) && Object.hasOwn(vocab, right))
      .map((pair) => pair.join(" "));
  });
  const replace = { type: "Replace", pattern: { String: " " }, content: "▁" };
  const prepend = { type: "Prepend", prepend: "▁" };
  return {
    tokenizer: {
      added_tokens: special.map((content, id) => ({ id, content, special: true })),
      normalizer: { type: "Sequence", normalizers: addsSpace ? [prepend, replace] : [replace] },
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: "ByteFallback" },
      model: { type: "BPE", unk_token: "<unk>", fuse_unk: true, byte_fallback: true, vocab, merges },
    },
    tokenizerConfig: { bos_token: "<s>", eos_token: "</s>", add_bos_token: true },
    config: { model_type: "llama", max_position_embeddings: 4096 },
    template: "{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}",
  };
}

function prefixesOf(word: string): readonly string[] {
  const characters = [...word];
  return characters.map((_, at) => characters.slice(0, at + 1).join(""));
}

export function writeFiles(folder: string, files: TokenizerFiles): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: Json | undefined): void => {
    if (value !== undefined) writeFileSync(join(folder, name), JSON.stringify(value));
  };
  write("tokenizer.json", files.tokenizer);
  write("tokenizer_config.json", files.tokenizerConfig);
  write("config.json", files.config);
  write("generation_config.json", files.generationConfig);
  if (files.template !== undefined) writeFileSync(join(folder, "chat_template.jinja"), files.template);
}

/** Returns the files with other fields of the tokenizer's model. */
export function withModel(files: TokenizerFiles, fields: Json): TokenizerFiles {
  const { tokenizer } = files;
  return { ...files, tokenizer: { ...tokenizer, model: { ...(tokenizer["model"] as Json), ...fields } } };
}

/** Returns the files with other fields of the tokenizer. */
export function withTokenizer(files: TokenizerFiles, fields: Json): TokenizerFiles {
  return { ...files, tokenizer: { ...files.tokenizer, ...fields } };
}
