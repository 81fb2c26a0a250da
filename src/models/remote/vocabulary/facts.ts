/** What the files beside a tokenizer.json say of a model: its template, its context, and the tokens that begin and end texts. */
import type { LanguageFacts } from "./gguf.js";
import { listSteps } from "./pre-tokenizer.js";
import { TokenizerRefusal } from "./refusal.js";
import type { GenerationConfig, ModelConfig, TokenizerConfig, TokenizerFile } from "./schema.js";

interface ConfigFiles {
  readonly tokenizer: TokenizerFile;
  readonly tokenizerConfig: TokenizerConfig;
  readonly config: ModelConfig;
  readonly generationConfig: GenerationConfig;
  /** From chat_template.jinja; null: there is no such file. */
  readonly template: string | null;
}

/** Where a tokenizer says that a text may have any length, it states a greater number. */
const lengthMax = 100_000_000;

/** @throws TokenizerRefusal */
export function readLanguageFacts(name: string, files: ConfigFiles): LanguageFacts {
  const { tokenizer, tokenizerConfig: settings, generationConfig } = files;
  const findId = (field: "bos_token" | "eos_token" | "pad_token"): number | null => {
    const text = settings[field];
    if (text == null) return null;
    const id =
      tokenizer.added_tokens.find(({ content }) => content === text)?.id ?? tokenizer.model.vocab[text];
    if (id === undefined)
      throw new TokenizerRefusal(`tokenizer_config.json: ${field}: '${text}' is no token of tokenizer.json`);
    return id;
  };
  const ends = [generationConfig.eos_token_id ?? []].flat();
  const bosToken = findId("bos_token");
  const [eosToken, ...otherEndTokens] = [...new Set([findId("eos_token") ?? [], ends].flat())];
  if (eosToken === undefined)
    throw new TokenizerRefusal("tokenizer_config.json: eos_token: is needed, to know where answers end");
  return {
    name,
    contextTokens: findContextTokens(files),
    template: findTemplate(files),
    bosToken,
    eosToken,
    padToken: findId("pad_token"),
    otherEndTokens,
    addsBos: settings.add_bos_token ?? beginsWithSpecialToken(tokenizer),
  };
}

function findContextTokens({ config, tokenizerConfig: { model_max_length: length } }: ConfigFiles): number {
  const tokens = config.max_position_embeddings ?? config.text_config?.max_position_embeddings;
  if (tokens != null) return tokens;
  if (typeof length === "number" && length >= 1 && length <= lengthMax) return Math.floor(length);
  throw new TokenizerRefusal(
    "config.json: max_position_embeddings: is needed, to know how much the model reads",
  );
}

function findTemplate({ template, tokenizerConfig: { chat_template: written } }: ConfigFiles): string | null {
  if (template !== null) return template;
  if (typeof written === "string") return written;
  return written?.find(({ name }) => name === "default")?.template ?? written?.[0]?.template ?? null;
}

function beginsWithSpecialToken({ post_processor: processor }: TokenizerFile): boolean {
  return listSteps(processor).some(({ single }) => {
    const [first] = Array.isArray(single) ? (single as readonly object[]) : [];
    return first !== undefined && "SpecialToken" in first;
  });
}
