/** Tokenizes what a model embeds or scores. Native code never receives an id outside the vocabulary, or more tokens than fit. */
import { type LlamaModel, LlamaVocabularyType } from "node-llama-cpp";
import { setImmediate } from "node:timers/promises";
import type { EmbeddingInput, InputSource } from "../../../core/embeddings/request.js";
import { HearthError } from "../../../core/errors.js";
import { charactersMax, inputTooLong, refuseLongInputs, truncates } from "./input-length.js";

/** The properties of a loaded model that its inputs depend on. */
interface InputModel {
  readonly contextTokens: number;
  readonly vocabularyTokens: number;
  readonly marks: Marks;
  readonly pairMarks: PairMarks;
  /** The text around a pair, with `{query}` and `{document}`; null: a pair is written with marks. */
  readonly pairTemplate: string | null;
  /** @param specialTokens whether special texts become control tokens. */
  tokenize(text: string, specialTokens: boolean): readonly number[];
}

/** Returns these properties of a model, of which no more than the vocabulary need be loaded. */
export function readInputModel(weights: LlamaModel, contextTokens: number): InputModel {
  const { tokenizer } = weights.fileInfo.metadata;
  return {
    contextTokens,
    vocabularyTokens: tokenizer?.ggml?.tokens?.length ?? 0,
    marks: readMarks(weights),
    pairMarks: readPairMarks(weights),
    pairTemplate: checkPairTemplate(tokenizer?.["chat_template.rerank"]),
    tokenize: (text, specialTokens) => weights.tokenize(text, specialTokens),
  };
}

/** Returns the template for pairs; null when the file has none, or one that lacks a place. */
function checkPairTemplate(template: string | undefined): string | null {
  if (template === undefined) return null;
  return template.includes("{query}") && template.includes("{document}") ? template : null;
}

/** Characters that are tokenized in one turn of the event loop, in some tens of milliseconds. */
const charactersPerTurn = 100_000;

/**
 * Returns the tokens of each input or pair. Other work of the thread runs between long texts.
 * @throws HearthError that names the first input that is too long or has invalid tokens.
 */
export async function inputTokens(
  model: InputModel,
  source: InputSource,
  signal: AbortSignal,
): Promise<readonly Uint32Array[]> {
  refuseLongInputs(source, model.contextTokens);
  const tokens: Uint32Array[] = [];
  const write = source.type === "pairs" ? pairWriter(model, source.query) : inputWriter(model);
  let characters = 0;
  for (const [field, given] of namedInputs(source)) {
    const input = truncates(source) ? given.slice(0, charactersMax(model.contextTokens)) : given;
    const whole = write(input, field);
    const written = Uint32Array.from(truncates(source) ? cutInput(model, whole) : whole);
    if (written.length > model.contextTokens)
      throw inputTooLong(field, `${written.length} tokens`, model.contextTokens);
    if (written.length === 0) throw invalid(field, "has no tokens");
    tokens.push(written);
    characters += input.length;
    if (characters < charactersPerTurn) continue;
    characters = 0;
    await setImmediate();
    if (signal.aborted) break;
  }
  return tokens;
}

/** Returns each input with the name of its field in the request. */
function namedInputs(source: InputSource): readonly (readonly [string, EmbeddingInput])[] {
  if (source.type === "inputs") return source.inputs.map((input, index) => [`input.${index}`, input]);
  const documents = source.documents.map((text, index) => [`documents.${index}`, text] as const);
  return source.type === "pairs" ? documents : [["query", source.query], ...documents];
}

/** Leaves out the end of an input that is too long; the marks after it stay. */
function cutInput(
  { contextTokens, marks: { end } }: InputModel,
  written: readonly number[],
): readonly number[] {
  return written.length <= contextTokens
    ? written
    : [...written.slice(0, contextTokens - end.length), ...end];
}

type Writer = (input: EmbeddingInput, field: string) => readonly number[];

function inputWriter(model: InputModel): Writer {
  const { begin, end } = model.marks;
  return (input, field) =>
    typeof input === "string"
      ? [...begin, ...tokenizePlain(model, input), ...end]
      : checkTokenIds(model, input, field);
}

function pairWriter(model: InputModel, query: string): Writer {
  const { begin, between, end } = model.pairMarks;
  const queryTokens = tokenizePlain(model, query);
  const pieces = model.pairTemplate?.split(/(\{query\}|\{document\})/).map((piece) => ({
    piece,
    tokens: piece === "{query}" ? queryTokens : model.tokenize(piece, true),
  }));
  return (document) => {
    const documentTokens = typeof document === "string" ? tokenizePlain(model, document) : document;
    if (pieces === undefined) return [...begin, ...queryTokens, ...between, ...documentTokens, ...end];
    return pieces.flatMap(({ piece, tokens }) => (piece === "{document}" ? documentTokens : tokens));
  };
}

/** Control tokens in the text are plain text. */
function tokenizePlain(model: InputModel, text: string): readonly number[] {
  return text === "" ? [] : model.tokenize(text, false);
}

function checkTokenIds(
  { vocabularyTokens }: InputModel,
  tokens: readonly number[],
  field: string,
): readonly number[] {
  const at = tokens.findIndex((id) => id < 0 || id >= vocabularyTokens);
  if (at < 0) return tokens;
  throw invalid(
    field,
    `the token ${String(tokens[at])} at position ${at} is not one of the ${vocabularyTokens} tokens of this model's vocabulary`,
  );
}

function invalid(field: string, problem: string): HearthError {
  return new HearthError("invalid_value", `${field}: ${problem}`, { param: field });
}

interface Marks {
  readonly begin: readonly number[];
  readonly end: readonly number[];
}

/** Returns the tokens before and after a text. */
function readMarks({ tokens, vocabularyType }: LlamaModel): Marks {
  if (vocabularyType === LlamaVocabularyType.wpm) return { begin: known(tokens.bos), end: known(tokens.sep) };
  if (vocabularyType === LlamaVocabularyType.rwkv) return { begin: [], end: [] };
  return {
    begin: tokens.shouldPrependBosToken ? known(tokens.bos) : [],
    end: tokens.shouldAppendEosToken ? known(tokens.eos) : [],
  };
}

/** The tokens around a query and a document. */
interface PairMarks extends Marks {
  readonly between: readonly number[];
}

/** Returns the tokens around a pair, for a model without a template for pairs. */
function readPairMarks(weights: LlamaModel): PairMarks {
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
