/** The fields of a model's files, in the layout of Hugging Face, that its vocabulary, template and context follow from. */
import { z } from "zod";
import { TokenizerRefusal } from "./refusal.js";

const idMax = 2_097_151;
const id = z.number().int().min(0).max(idMax);

const addedToken = z.object({
  id,
  content: z.string(),
  special: z.boolean().default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  single_word: z.boolean().default(false),
});

type Pair = string | readonly [string, string];

/** Large: zod's own checks of hundreds of thousands of values take seconds. */
const vocab = z.custom<Readonly<Record<string, number>>>(
  (value) => isObject(value) && Object.values(value).every(isId),
  "must have an id for each token",
);
const merges = z.custom<readonly Pair[]>(
  (value) => Array.isArray(value) && value.every(isPair),
  "must be pairs of tokens",
);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= idMax;
}

function isPair(value: unknown): value is Pair {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}

const bpe = z.object({
  type: z.string().optional(),
  vocab,
  merges,
  byte_fallback: z.boolean().nullish(),
  ignore_merges: z.boolean().nullish(),
  unk_token: z.string().nullish(),
  dropout: z.number().nullish(),
  continuing_subword_prefix: z.string().nullish(),
  end_of_word_suffix: z.string().nullish(),
});

const step = z.looseObject({ type: z.string() });

const tokenizer = z.object({
  added_tokens: z.array(addedToken).default([]),
  normalizer: step.nullish(),
  pre_tokenizer: step.nullish(),
  post_processor: step.nullish(),
  model: z.looseObject({ type: z.string().optional() }),
});

const token = z.union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)]);

const tokenizerConfig = z.object({
  bos_token: token.nullish(),
  eos_token: token.nullish(),
  pad_token: token.nullish(),
  add_bos_token: z.boolean().nullish(),
  chat_template: z
    .union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))])
    .nullish(),
  model_max_length: z.number().nullish(),
});

const shape = z.object({
  vocab_size: id.nullish(),
  max_position_embeddings: z.number().int().min(1).nullish(),
});
const modelConfig = shape.extend({ model_type: z.string().nullish(), text_config: shape.nullish() });

const generationConfig = z.object({ eos_token_id: z.union([id, z.array(id)]).nullish() });

export type AddedToken = z.infer<typeof addedToken>;
type BpeModel = z.infer<typeof bpe>;
export type Step = z.infer<typeof step>;
export type TokenizerFile = Omit<z.infer<typeof tokenizer>, "model"> & { readonly model: BpeModel };
export type TokenizerConfig = z.infer<typeof tokenizerConfig>;
export type ModelConfig = z.infer<typeof modelConfig>;
export type GenerationConfig = z.infer<typeof generationConfig>;

/** Parses a file. A file that is not there counts as an empty object. @throws TokenizerRefusal */
function parse<T>(schema: z.ZodType<T>, file: string, text: string | null): T {
  try {
    return check(schema, file, [], JSON.parse(text ?? "{}"));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new TokenizerRefusal(`${file} is not valid JSON`);
    throw thrown;
  }
}

/** @param place of the value in the file. @throws TokenizerRefusal */
function check<T>(schema: z.ZodType<T>, file: string, place: readonly string[], value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = [...place, ...(issue?.path ?? [])].join(".");
  throw new TokenizerRefusal(`${file}: ${field}: ${issue?.message ?? "it is not understood"}`);
}

/** @throws TokenizerRefusal, too, where its tokenizer is of another kind than BPE */
export function parseTokenizer(text: string): TokenizerFile {
  const file = parse(tokenizer, "tokenizer.json", text);
  const { type = "BPE" } = file.model;
  if (type !== "BPE")
    throw new TokenizerRefusal(`tokenizer.json: model.type: '${type}' is not supported, only BPE is`);
  return { ...file, model: check(bpe, "tokenizer.json", ["model"], file.model) };
}

export function parseTokenizerConfig(text: string | null): TokenizerConfig {
  return parse(tokenizerConfig, "tokenizer_config.json", text);
}

export function parseModelConfig(text: string | null): ModelConfig {
  return parse(modelConfig, "config.json", text);
}

export function parseGenerationConfig(text: string | null): GenerationConfig {
  return parse(generationConfig, "generation_config.json", text);
}
