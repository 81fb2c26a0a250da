/** Vocabularies of models on remote engines that are made from a tokenizer.json: the same tokens as Hugging Face's own tokenizers give. */
import { join } from "node:path";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import fc from "fast-check";
import type { Llama, Token } from "node-llama-cpp";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadLlama } from "../../kit/engine/llama.js";
import type { Model } from "../../../src/core/model.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { builtInModel } from "../../kit/server/settings.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import {
  builtInFiles,
  deepSeekWords,
  inBytes,
  kindsOfCharacters,
  llama3Words,
  qwen35Words,
  sentencePieceFiles,
  sequence,
  splitBy,
  withModel,
  withPairs,
  withTokenizer,
  writeFiles,
  type TokenizerFiles,
} from "./tokenizer-files.js";

const id = "team/model";
let llama: Llama;
let builtIn: TokenizerFiles;
beforeAll(async () => {
  llama = await loadLlama();
  builtIn = withPairs(await builtInFiles());
});

/** Returns the model that a registry finds for the files, which is placed on an engine. */
async function found(files: TokenizerFiles): Promise<Model> {
  const folder = temporaryFolder();
  writeFiles(join(folder, "models", id), files);
  const registry = await loadRegistry({
    folders: [join(folder, "models")],
    contextTokensMax: 1_000_000,
    placements: new Map([
      [id, { engine: "vllm", engineId: "vllm", modelName: "served", notGuaranteed: [], contextTokens: null }],
    ]),
    vocabularies: join(folder, "data", "vocabularies"),
  });
  const model = registry.find(id);
  if (model === null) throw new Error(registry.warnings.join(" "));
  return model;
}

async function tokenizerOf(path: string): Promise<(text: string) => readonly number[]> {
  const weights = await llama.loadModel({ modelPath: path, vocabOnly: true });
  onTestFinished(() => weights.dispose());
  return (text) => weights.tokenize(text);
}

const words = [
  "Hello",
  "world",
  "the",
  "capital",
  "of",
  "ing",
  "'s",
  "'LL",
  "naïve",
  "日本語",
  "été",
  "ǅ",
  "१२३",
];
const fragment = fc.oneof(
  fc.constantFrom(...words, " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "▁", "12345", "3.14", "<think>"),
  fc.string({ unit: fc.constantFrom(...kindsOfCharacters), maxLength: 6 }),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
/** In the form that normalizers give, and without what Hugging Face takes for added tokens. */
const text = fc
  .array(fragment, { maxLength: 12 })
  .map((parts) => parts.join("").replaceAll("<", "(").normalize("NFC"));

const kinds: readonly (readonly [string, () => TokenizerFiles])[] = [
  ["byte-level BPE with the words of Qwen", () => builtIn],
  [
    "with the words of Llama 3",
    () =>
      withModel(withTokenizer(builtIn, { pre_tokenizer: sequence(splitBy(llama3Words), inBytes(false)) }), {
        ignore_merges: true,
      }),
  ],
  [
    "with the same words, and merges in every word",
    () => withTokenizer(builtIn, { pre_tokenizer: sequence(splitBy(llama3Words), inBytes(false)) }),
  ],
  [
    "with the words of Qwen 3.5",
    () => withTokenizer(builtIn, { pre_tokenizer: sequence(splitBy(qwen35Words), inBytes(false)) }),
  ],
  ["with the words of GPT-2", () => withTokenizer(builtIn, { pre_tokenizer: inBytes(true) })],
  [
    "with the words of SmolLM",
    () =>
      withTokenizer(builtIn, {
        pre_tokenizer: sequence({ type: "Digits", individual_digits: true }, inBytes(true)),
      }),
  ],
  [
    "with the words of DeepSeek 3",
    () =>
      withTokenizer(builtIn, {
        pre_tokenizer: sequence(
          splitBy(String.raw`\p{N}{1,3}`),
          splitBy("[一-龥぀-ゟ゠-ヿ]+"),
          splitBy(deepSeekWords),
          inBytes(false),
        ),
      }),
  ],
  ["SentencePiece with a space before a text", () => sentencePieceFiles(pieces, true)],
  ["SentencePiece without one", () => sentencePieceFiles(pieces, false)],
];
const pieces = ["hello", "world", "the", "capital", "of", "ing", "tal", "12", "▁▁", "日本", "lo", "rld"];

/** A part of the reason, and the files that are refused for it. */
const refusals: readonly (readonly [string, () => TokenizerFiles])[] = [
  ["tokenizer.json: model.type: 'Unigram'", () => withModel(builtIn, { type: "Unigram" })],
  ["tokenizer.json: model.vocab", () => withModel(builtIn, { vocab: { a: -1 } })],
  ["tokenizer.json: model.end_of_word_suffix", () => withModel(builtIn, { end_of_word_suffix: "</w>" })],
  ["tokenizer.json: model.ignore_merges", () => withModel(builtIn, { ignore_merges: true })],
  [
    "tokenizer.json: pre_tokenizer",
    () => withTokenizer(builtIn, { pre_tokenizer: sequence(splitBy("[a-z]+|."), inBytes(false)) }),
  ],
  ["tokenizer.json: pre_tokenizer", () => withTokenizer(builtIn, { pre_tokenizer: { type: "Whitespace" } })],
  [
    "tokenizer.json: normalizer: 'Lowercase'",
    () => withTokenizer(builtIn, { normalizer: { type: "Lowercase" } }),
  ],
  [
    "tokenizer.json: added_tokens: '<x>'",
    () =>
      withTokenizer(builtIn, {
        added_tokens: [
          { id: 9_000, content: "<x>", rstrip: true },
          { id: 9_001, content: "<|im_end|>", special: true },
          { id: 9_002, content: "<|endoftext|>", special: true },
        ],
      }),
  ],
  [
    "prepend_scheme",
    () =>
      withTokenizer(sentencePieceFiles(pieces, true), {
        normalizer: null,
        pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false },
      }),
  ],
  [
    "tokenizer.json: model.merges",
    () => withModel(sentencePieceFiles(pieces, true), { merges: ["h e", "l o", "h e"] }),
  ],
  ["tokenizer_config.json: eos_token", () => ({ ...builtIn, tokenizerConfig: {} })],
  [
    "tokenizer_config.json: bos_token: '<none>'",
    () => ({ ...builtIn, tokenizerConfig: { ...builtIn.tokenizerConfig, bos_token: "<none>" } }),
  ],
  ["config.json: max_position_embeddings", () => ({ ...builtIn, config: {} })],
];

describe("a vocabulary that is made from a tokenizer.json", () => {
  it.each(kinds)(
    "gives the tokens of Hugging Face's tokenizer for random texts: %s",
    async (name, filesOf) => {
      const files = filesOf();
      const model = await found(files);
      expect(model.unusable).toBeNull();
      const tokenize = await tokenizerOf(model.path);
      const reference = new PreTrainedTokenizer(files.tokenizer, {
        ...files.tokenizerConfig,
        tokenizer_class: "PreTrainedTokenizerFast",
      });
      fc.assert(
        fc.property(text, (written) => {
          // The reference in JavaScript has no other digits.
          const input = name.includes("SmolLM") ? written.replaceAll(/(?![0-9])\p{N}/gu, "7") : written;
          expect(tokenize(input)).toEqual(reference.encode(input, { add_special_tokens: false }));
        }),
        { numRuns: casesOf(4_000) },
      );
    },
  );

  it.each(refusals)("is refused with the field that is not supported: %s", async (message, filesOf) => {
    const { unusable } = await found(filesOf());
    expect(unusable).toContain(message);
  });

  it("takes the first and further tokens that end answers, the template and the context from the files beside it", async () => {
    const files = sentencePieceFiles(pieces, true);
    const { manifest, path, trainedTokens, tokenizerFile } = await found({
      ...files,
      generationConfig: { eos_token_id: [2, 300, 301] },
    });
    expect(manifest).toMatchObject({ id, kind: "chat", family: "llama", contextTokens: 4096 });
    expect(trainedTokens).toBe(4096);
    expect(tokenizerFile).toMatch(/tokenizer\.json$/);
    const weights = await llama.loadModel({ modelPath: path, vocabOnly: true });
    onTestFinished(() => weights.dispose());
    const { bos, eos, eot, shouldPrependBosToken } = weights.tokens;
    expect([bos, eos, eot, shouldPrependBosToken]).toEqual([1, 2, 300, true]);
    expect([2, 300, 301, 302].map((token) => weights.isEogToken(token as Token))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(weights.fileInfo.metadata.tokenizer?.chat_template).toBe(files.template);
  });

  it("gives the tokens of the GGUF file of the same model, for any text", async () => {
    const { path } = await found(await builtInFiles());
    const [made, own] = [
      await tokenizerOf(path),
      await tokenizerOf(join(root, "models", builtInModel, `${builtInModel}.gguf`)),
    ];
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
        expect(made(parts.join(""))).toEqual(own(parts.join("")));
      }),
      { numRuns: casesOf(8_000) },
    );
  });
});
