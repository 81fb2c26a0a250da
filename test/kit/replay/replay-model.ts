/**
 * Writes a small GGUF model that writes given texts: each begins after a prompt of one length. The architecture of GPT-2 learns an
 * embedding of each position. Here that is the code of the token which follows the position, and every other weight is zero. So a true
 * answer of a published model passes the whole server: template, tokenizer, grammar, sampler, parser and stream.
 *
 * The end of the answer is the second most likely token at each place. Where a grammar refuses a token, the answer is no longer the text.
 */
import {
  encodeHeader,
  paddingOf,
  type GgufEntryValue,
  type GgufTensor,
} from "../models/gguf-writer/encode.js";
import { byteLevel } from "../models/gguf-writer/vocabulary-kinds.js";
import { byteLetter } from "../models/gguf-writer/vocabulary.js";
import { seeded } from "../models/gguf-writer/weights.js";

/** A text that the model writes, and then ends its turn. */
export interface ReplayedAnswer {
  /** Tokens of the prompt. */
  readonly promptTokens: number;
  readonly text: string;
}

export interface ReplayModel {
  readonly template: string;
  /** The token that ends a turn, as the template writes it. */
  readonly end: string;
  /** Other texts that are control tokens. */
  readonly control: readonly string[];
  /** Texts that are one token which any text may contain. */
  readonly userDefined: readonly string[];
  readonly answers: readonly ReplayedAnswer[];
  /** Positions of the model, at least. */
  readonly contextTokens: number;
}

/** Width of the codes: two of them have little in common. */
const width = 64;
/** How much more likely than any other the token is that follows, and the end of the turn: factors of its code. */
const likely = { next: 1, end: 0.6 } as const;
const scale = 0.5;
/** Tokens of several characters, as vocabularies of real models have them. */
const words = ['{"', '":', '"}', '"}}', '",', "}}", '("', '")', "\n\n", ">\n", "the", "name", "arguments"];

/** Returns the file of a model that writes these answers. */
export function writeReplayModel(model: ReplayModel): Buffer {
  const entries = describeVocabulary(model);
  const { values: tokens } = entries["tokenizer.ggml.tokens"] as { readonly values: readonly string[] };
  const codes = createCodes(tokens.length);
  const context = Math.max(model.contextTokens, ...model.answers.map(({ promptTokens }) => promptTokens + 1));
  const positions = new Float32Array(context * width);
  const spelling = createSpelling(tokens, model);
  const end = tokens.indexOf(model.end);
  for (const { promptTokens, text } of model.answers)
    for (const [at, token] of [...spelling(text), end].entries())
      for (let each = 0; each < width; each += 1)
        positions[(promptTokens - 1 + at) * width + each] =
          likely.next * code(codes, token, each) + (token === end ? 0 : likely.end * code(codes, end, each));
  const metadata = new Map<string, GgufEntryValue>([
    ...Object.entries<GgufEntryValue>({
      "general.architecture": { type: "string", value: "gpt2" },
      "general.type": { type: "string", value: "model" },
      "general.name": { type: "string", value: "Replay" },
      "gpt2.context_length": { type: "u32", value: context },
      "gpt2.embedding_length": { type: "u32", value: width },
      "gpt2.block_count": { type: "u32", value: 1 },
      "gpt2.feed_forward_length": { type: "u32", value: width },
      "gpt2.attention.head_count": { type: "u32", value: 1 },
      "gpt2.attention.layer_norm_epsilon": { type: "f32", value: 1e-5 },
      ...entries,
      "tokenizer.ggml.add_bos_token": { type: "bool", value: false },
      "tokenizer.chat_template": { type: "string", value: model.template },
    }),
  ]);
  return writeFile(metadata, {
    "token_embd.weight": { dimensions: [width, tokens.length] },
    "position_embd.weight": { dimensions: [width, context], values: positions },
    "output_norm.weight": { dimensions: [width], values: new Float32Array(width).fill(scale) },
    "output_norm.bias": { dimensions: [width] },
    "output.weight": { dimensions: [width, tokens.length], values: codes },
    ...layer,
  });
}

function describeVocabulary({ end, control, userDefined }: ReplayModel) {
  const others = control.filter((text) => text !== end);
  const plain = userDefined.filter((text) => text !== end && !control.includes(text));
  return byteLevel("llama-bpe", {
    words,
    control: ["<begin-of-replay>", end, ...others],
    userDefined: plain,
  });
}

interface TensorSpec {
  readonly dimensions: readonly number[];
  /** Absent: zeros. */
  readonly values?: Float32Array;
}

/** The one layer changes nothing. */
const layer: Readonly<Record<string, TensorSpec>> = Object.fromEntries(
  Object.entries({
    "attn_norm.weight": [width],
    "attn_norm.bias": [width],
    "attn_qkv.weight": [width, 3 * width],
    "attn_qkv.bias": [3 * width],
    "attn_output.weight": [width, width],
    "attn_output.bias": [width],
    "ffn_norm.weight": [width],
    "ffn_norm.bias": [width],
    "ffn_up.weight": [width, width],
    "ffn_up.bias": [width],
    "ffn_down.weight": [width, width],
    "ffn_down.bias": [width],
  }).map(([name, dimensions]) => [`blk.0.${name}`, { dimensions }]),
);

function writeFile(
  metadata: ReadonlyMap<string, GgufEntryValue>,
  specs: Readonly<Record<string, TensorSpec>>,
): Buffer {
  const tensors = Object.entries(specs).map(([name, { dimensions, values }]) => {
    const count = dimensions.reduce((product, size) => product * size, 1);
    const tensor: GgufTensor = { name, dimensions, type: 0, bytes: count * 4 };
    return { tensor, data: Buffer.from((values ?? new Float32Array(count)).buffer) };
  });
  const header = encodeHeader({ metadata, tensors: tensors.map(({ tensor }) => tensor) });
  return Buffer.concat([
    header,
    ...tensors.flatMap(({ data }) => [data, Buffer.alloc(paddingOf(data.length))]),
  ]);
}

/** Returns a code of ones and minus ones for each token; the mean of each is zero, since the last layer removes it. */
function createCodes(count: number): Float32Array {
  const random = seeded(7);
  const codes = new Float32Array(count * width);
  for (let token = 0; token < count; token += 1) {
    const signs = Array.from({ length: width }, (_, at) => ({
      order: random(),
      sign: at % 2 === 0 ? 1 : -1,
    }));
    signs.sort((a, b) => a.order - b.order);
    codes.set(
      signs.map(({ sign }) => sign),
      token * width,
    );
  }
  return codes;
}

function code(codes: Float32Array, token: number, at: number): number {
  return codes[token * width + at] ?? 0;
}

/** Returns a function from a text to its tokens: the longest token at each place, special ones first. */
function createSpelling(
  tokens: readonly string[],
  { end, control, userDefined }: ReplayModel,
): (text: string) => readonly number[] {
  const special = [...new Set([end, ...control, ...userDefined])].sort((a, b) => b.length - a.length);
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const longest = Math.max(...words.map((word) => word.length)) + 1;
  return (text) => {
    const found: number[] = [];
    for (let at = 0; at < text.length;) {
      const mark = special.find((each) => text.startsWith(each, at));
      const next = special.map((each) => text.indexOf(each, at)).filter((place) => place >= 0);
      const stop = mark === undefined ? Math.min(text.length, ...next) : at + mark.length;
      if (mark === undefined) found.push(...spell(text.slice(at, stop), ids, longest));
      else found.push(ids.get(mark) ?? 0);
      at = stop;
    }
    return found;
  };
}

function spell(text: string, ids: ReadonlyMap<string, number>, longest: number): readonly number[] {
  const letters = Array.from(Buffer.from(text), byteLetter);
  const found: number[] = [];
  for (let at = 0; at < letters.length;) {
    let size = longest;
    while (size > 1 && !ids.has(letters.slice(at, at + size).join(""))) size -= 1;
    found.push(ids.get(letters.slice(at, at + size).join("")) ?? 0);
    at += Math.min(size, letters.length - at);
  }
  return found;
}
