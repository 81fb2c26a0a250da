/** The tokens around what a model embeds or scores, as llama.cpp and its server add them. */
import { LlamaVocabularyType, type LlamaModel } from "node-llama-cpp";

export interface Marks {
  readonly begin: readonly number[];
  readonly end: readonly number[];
}

/** Returns the tokens before and after a text. */
export function readMarks({ tokens, vocabularyType }: LlamaModel): Marks {
  if (vocabularyType === LlamaVocabularyType.wpm) return { begin: known(tokens.bos), end: known(tokens.sep) };
  if (vocabularyType === LlamaVocabularyType.rwkv) return { begin: [], end: [] };
  return {
    begin: tokens.shouldPrependBosToken ? known(tokens.bos) : [],
    end: tokens.shouldAppendEosToken ? known(tokens.eos) : [],
  };
}

/** The tokens around a query and a document. */
export interface PairMarks extends Marks {
  readonly between: readonly number[];
}

/** Returns the tokens around a pair, for a model without a template for pairs. */
export function readPairMarks(weights: LlamaModel): PairMarks {
  const { tokens, vocabularyType } = weights;
  const end = tokens.shouldAppendEosToken ? known(tokens.eos ?? tokens.sep) : [];
  const separates = addsSeparator(weights) ?? vocabularyType === LlamaVocabularyType.wpm;
  return {
    begin: tokens.shouldPrependBosToken ? known(tokens.bos) : [],
    between: [...end, ...(separates ? known(tokens.sep) : [])],
    end,
  };
}

function addsSeparator({ fileInfo }: LlamaModel): boolean | null {
  const ggml: Readonly<Record<string, unknown>> = { ...fileInfo.metadata.tokenizer?.ggml };
  const adds = ggml["add_sep_token"];
  return typeof adds === "boolean" ? adds : null;
}

function known(token: number | null): readonly number[] {
  return token === null ? [] : [token];
}
