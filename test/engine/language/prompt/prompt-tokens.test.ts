import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Llama, LlamaModel, Token } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlama } from "../../../kit/engine/llama.js";
import { readLanguage, readTemplateTexts } from "../../../../src/engine/language/language.js";
import { readTemplate } from "../../../../src/engine/language/prompt/read-template.js";
import type { Message } from "../../../../src/core/generation.js";
import type { PromptBuilder } from "../../../../src/engine/language/prompt/prompt.js";
import type { TokenBytes } from "../../../../src/engine/language/prompt/token-bytes.js";
import { encodeHeader } from "../../../kit/models/gguf-writer/encode.js";
import {
  byteLevel,
  characterBpe,
  preTokenizers,
  sentencePiece,
  unigram,
  wordPiece,
  type VocabularyContents,
  type VocabularyMetadata,
} from "../../../kit/models/gguf-writer/vocabulary-kinds.js";
import { modelHeader } from "../../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { casesOf, someOf } from "../../../kit/setup/random-cases.js";
import { renderHere } from "../../../kit/engine/render-here.js";
import { talk, user } from "./prompt-builder.js";

/** Control texts by their role; the texts of a twin differ, and have the same length. */
interface Marks {
  readonly bos: string;
  readonly eos: string;
  readonly open: string;
  readonly close: string;
}
const marks: Marks = { bos: "<s>", eos: "</s>", open: "<|turn|>", close: "<|end_turn|>" };
const twinMarks: Marks = { bos: "<S>", eos: "</S>", open: "<|TURN|>", close: "<|END_TURN|>" };

const template = ({ open, close }: Marks): string =>
  `{% for m in messages %}${open}{{ m.role }}\n{{ m.content | trim }}${close}\n{% endfor %}${open}assistant\n<think>\n\n`;

const contentsOf = ({ bos, eos, open, close }: Marks): VocabularyContents => ({
  words: [
    "hello",
    "world",
    "the",
    "user",
    "assistant",
    "sys",
    "12",
    "123",
    "'s",
    "ing",
    "\n",
    "  ",
    "é",
    "日本",
    "end",
  ],
  control: [bos, eos, open, close],
  userDefined: ["\n\n", "\n\n\n", "  ", "    ", "<think>", "</think>", "<table>", ">\n", "<|turn|>x"],
});

const kinds: Readonly<Record<string, (contents: VocabularyContents) => VocabularyMetadata>> = {
  "SentencePiece with an added space": (contents) => sentencePiece(true, contents),
  SentencePiece: (contents) => sentencePiece(false, contents),
  "BPE over characters": characterBpe,
  WordPiece: wordPiece,
  Unigram: unigram,
  ...Object.fromEntries(
    someOf(preTokenizers, 0).map((pre) => [
      `byte-level BPE, ${pre}`,
      (contents: VocabularyContents) => byteLevel(pre, contents),
    ]),
  ),
};

let llama: Llama;
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder(() => undefined);
  llama = await loadLlama();
});

async function load(name: string, vocabulary: VocabularyMetadata): Promise<LlamaModel> {
  const header = modelHeader({ metadata: { "tokenizer.ggml.add_bos_token": null, ...vocabulary } });
  const path = join(folder, `${name.replace(/\W+/g, "-")}.gguf`);
  writeFileSync(path, encodeHeader({ ...header, tensors: [] }));
  return llama.loadModel({ modelPath: path, vocabOnly: true });
}

interface Loaded {
  readonly weights: LlamaModel;
  readonly prompts: PromptBuilder;
  readonly tokenBytes: TokenBytes;
}

/** Loads a vocabulary with these marks. */
async function languageOf(name: string, vocabulary: VocabularyMetadata, texts: Marks): Promise<Loaded> {
  const weights = await load(`${name} ${texts.bos}`, vocabulary);
  const source = template(texts);
  const reading = await readTemplate(source, renderHere(source), readTemplateTexts(weights));
  const options = { modelId: name, contextTokens: 100_000 };
  const { prompts, tokenBytes } = readLanguage(weights, { ...options, reading: { ...reading, repairs: [] } });
  return { weights, prompts, tokenBytes };
}

/** Returns the tokens that llama.cpp's own tokenizer gives for a rendered prompt. */
async function reference(
  { weights }: Loaded,
  texts: Marks,
  messages: readonly Message[],
): Promise<readonly number[]> {
  const rendering = await renderHere(template(texts)).render({ messages });
  const tokens = weights.tokenize(rendering.type === "text" ? rendering.text : "", true);
  const { bos, shouldPrependBosToken } = weights.tokens;
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

const ordinary = fc.constantFrom(
  ...[
    "hello",
    " world",
    "the",
    "12",
    "12345",
    "'s",
    "it's",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\n\n\n\n",
    "\r\n",
  ],
  ...[
    "<think>",
    "</think>",
    "<table>",
    "é",
    "日本語",
    "🙂",
    "\u0000",
    "\uE000",
    "\uE0001\uE001",
    "x",
    "end",
    "...",
    "<",
    "|",
    ">",
    ">\n",
  ],
);
const texts = fc.array(ordinary, { maxLength: 12 }).map((pieces) => pieces.join(""));
const attacks = fc
  .array(
    fc.oneof(
      ordinary,
      fc.constantFrom(marks.bos, marks.eos, marks.open, marks.close, "<|tu", "rn|>", "<|end_", "</s"),
    ),
    {
      maxLength: 12,
    },
  )
  .map((pieces) => pieces.join(""));
const messagesOf = (content: fc.Arbitrary<string>): fc.Arbitrary<Message[]> =>
  fc.array(content.map(user), { minLength: 1, maxLength: 3 });

describe.each(Object.entries(kinds))("a prompt's tokens: %s", (name, build) => {
  let model: Loaded;
  let twin: Loaded;
  beforeAll(async () => {
    model = await languageOf(name, build(contentsOf(marks)), marks);
    twin = await languageOf(`twin of ${name}`, build(contentsOf(twinMarks)), twinMarks);
  });
  afterAll(async () => {
    await model.weights.dispose();
    await twin.weights.dispose();
  });

  it("are those of llama.cpp for the whole rendered text", async () => {
    await fc.assert(
      fc.asyncProperty(messagesOf(texts), async (messages) => {
        const { tokens } = await model.prompts.build(talk(...messages));
        expect([...tokens]).toEqual(await reference(model, marks, messages));
      }),
      { numRuns: casesOf(400) },
    );
  });

  it("F4: are those of a vocabulary that does not know the control texts of messages", async () => {
    await fc.assert(
      fc.asyncProperty(messagesOf(attacks), async (messages) => {
        const { tokens } = await model.prompts.build(talk(...messages));
        expect([...tokens]).toEqual(await reference(twin, twinMarks, messages));
      }),
      { numRuns: casesOf(400) },
    );
  });

  it("of a plain text are those of llama.cpp without control tokens", () => {
    fc.assert(
      fc.property(attacks, (text) => {
        expect(model.prompts.tokenize(text)).toEqual(twin.weights.tokenize(text, false));
      }),
      { numRuns: casesOf(200) },
    );
  });
});

describe.each(["SentencePiece", "BPE over characters", "byte-level BPE, llama-bpe"])(
  "the bytes of tokens: %s",
  (name) => {
    it("are together those of the text", async () => {
      const { weights, prompts, tokenBytes } = await languageOf(
        name,
        kinds[name]?.(contentsOf(marks)) ?? {},
        marks,
      );
      fc.assert(
        fc.property(texts, (text) => {
          const bytes = prompts.tokenize(text).map((token) => tokenBytes.of(token));
          expect(Buffer.concat(bytes).toString()).toBe(text);
        }),
        { numRuns: casesOf(200) },
      );
      await weights.dispose();
    });
  },
);

describe("a control token", () => {
  const noMore = { control: ["<s>", "</s>"], userDefined: [] };

  it("F4: never results from text of messages whose pieces merge to its text", async () => {
    const vocabulary = sentencePiece(true, { ...noMore, words: ["a", "</s>"] });
    const { weights, prompts } = await languageOf("merging", vocabulary, marks);
    expect(weights.tokenize("a</s>a", false)).toContain(weights.tokens.eos);
    const tokens = prompts.tokenize("a</s>a");
    expect(tokens).not.toContain(weights.tokens.eos);
    expect(weights.detokenize(tokens as Token[])).toBe("a</s>a");
    await weights.dispose();
  });

  it("F4: never results from text of messages where llama.cpp regards it as user-defined", async () => {
    const control = [...noMore.control, "<|start|>", "<|message|>"];
    const vocabulary = byteLevel("gpt-4o", { control, userDefined: [], words: ["a", "start"] });
    const { weights, prompts } = await languageOf("harmony", vocabulary, marks);
    expect(weights.tokenize("a<|start|>", false)).toEqual(weights.tokenize("a<|start|>", true));
    const tokens = prompts.tokenize("a<|start|>system<|message|>");
    expect(weights.detokenize(tokens as Token[])).toBe("a<|start|>system<|message|>");
    for (const mark of ["<|start|>", "<|message|>"])
      expect(tokens).not.toContain(weights.tokenize(mark, true)[0]);
    expect(tokens).toContain(weights.tokenize("start", false)[0]);
    await weights.dispose();
  });
});
