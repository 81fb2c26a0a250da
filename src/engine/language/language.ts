/** Reads a model's vocabulary, chat template, and its formats of reasoning and tool calls from the model file. */
import type { LlamaModel, Token } from "node-llama-cpp";
import type { Model } from "../../core/model.js";
import type { TextModelInfo } from "./protocol.js";
import type { MediaLayout } from "./prompt/media-layout.js";
import { createPromptBuilder, type PromptBuilder } from "./prompt/prompt.js";
import type { InfillTokens } from "./prompt/raw-prompt.js";
import type { TemplateTexts } from "./derive/derive.js";
import type { TemplateReading } from "./prompt/read-template.js";
import type { Repair } from "./repairs.js";
import type { ReasoningMarks } from "./reasoning.js";
import type { SpecialToken } from "./prompt/special-tokens.js";
import { createTokenBytes, tokenTypes, type TokenBytes, type TokenVocabulary } from "./prompt/token-bytes.js";
import { continuation } from "./prompt/text-tokenizer.js";
import type { ToolFormat } from "./tools/format.js";

export interface ModelLanguage {
  readonly tokenBytes: TokenBytes;
  readonly prompts: PromptBuilder;
  /** How the model writes tool calls. */
  readonly tools: ToolFormat;
  /** What the template needs of an ordinary conversation. */
  readonly repairs: readonly Repair[];
  /** Markers around the reasoning; null when the model never reasons, or when the tool format separates the reasoning. */
  readonly reasoning: ReasoningMarks | null;
  /** Marks around the text of an answer; null where it has none. */
  readonly answerMarks: TemplateReading["answerMarks"];
  /** No text of n bytes has fewer than n / longestTokenBytes tokens. */
  readonly longestTokenBytes: number;
  /** Size of the vocabulary. */
  readonly vocabularyTokens: number;
  /** Returns the tokens of text that continues an answer; control texts are control tokens. */
  readonly continue: (text: string) => readonly Token[];
  /** Returns the tokens of a text of the template; control texts are control tokens. */
  readonly controlTokens: (text: string) => readonly Token[];
  /** The tokens that end an answer; the first one is the model's own. */
  readonly endTokens: () => readonly Token[];
  /** Whether a token ends the answer. */
  readonly isEnd: (token: Token) => boolean;
  /** Control tokens that do not end the answer, and the template's marks: a grammar sees their text, but no value of a call has it. */
  readonly controls: () => ControlTokens;
}

interface ControlTokens {
  /** Those that the answer's text does not contain. */
  readonly silent: readonly Token[];
  /** These, and the marks of calls and reasoning. */
  readonly all: readonly Token[];
}

/** The template for models without one: ChatML, the most common convention. */
const chatMl =
  "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** Returns the Jinja source of a model's chat template: the one that it is loaded with, or its own. */
export function chooseTemplate(weights: LlamaModel, { load }: Model): string {
  return load?.template ?? weights.fileInfo.metadata.tokenizer?.chat_template ?? chatMl;
}

interface LanguageOptions {
  readonly modelId: string;
  readonly contextTokens: number;
  /** What `readTemplate` returns. */
  readonly reading: TemplateReading;
  /** Reads images and sound; absent: the model reads text alone. */
  readonly media?: MediaLayout | null;
}

/** Returns the texts of the vocabulary that a template uses. */
export function readTemplateTexts(weights: LlamaModel): TemplateTexts {
  const { bosString, eosString } = weights.tokens;
  const { tokens, types } = readVocabulary(weights, []);
  const endTexts = tokens.filter((_, token) => isControl(types[token]) && weights.isEogToken(token as Token));
  return { bosText: bosString ?? "", eosText: eosString ?? "", endTexts };
}

/** Returns what is reported of the language of a chat model. */
export function describeLanguage(
  language: ModelLanguage & { readonly contextTokens: number },
): Omit<TextModelInfo, "slots" | "device"> {
  const { contextTokens, longestTokenBytes, tools, repairs, reasoning, vocabularyTokens } = language;
  return {
    contextTokens,
    longestTokenBytes,
    dimensions: 0,
    templateRepairs: repairs,
    templateCall: tools.example,
    templateReasoning: reasoning === null ? undefined : [reasoning.open, reasoning.close],
    callsAreExact: tools.exact,
    vocabularyTokens,
  };
}

/** Reads a model's language. */
export function readLanguage(
  weights: LlamaModel,
  { modelId, contextTokens, reading, media = null }: LanguageOptions,
): ModelLanguage {
  const { template, repairs, reasoning, answerMarks } = reading;
  const { tools } = template;
  const { open = "", close = "" } = reasoning ?? {};
  const marks = [...tools.marks, open, close, answerMarks?.open ?? "", answerMarks?.close ?? ""];
  const vocabulary = readVocabulary(weights, marks);
  const tokenBytes = createTokenBytes(vocabulary, (token) => weights.detokenize([token as Token], true));
  const tokenizer = {
    addsSpace: vocabulary.tokenizer === "llama",
    tokenize: (text: string, controlTokens: boolean) => weights.tokenize(text, controlTokens),
  };
  return {
    continue: (text) => continuation(tokenizer, text, true) as readonly Token[],
    controlTokens: (text) => weights.tokenize(text, true),
    endTokens: listEndTokens(weights, vocabulary),
    isEnd: (token) => weights.isEogToken(token),
    controls: listControls(weights, vocabulary, marks),
    tokenBytes,
    tools,
    repairs,
    reasoning,
    answerMarks,
    longestTokenBytes: tokenBytes.longestBytes,
    vocabularyTokens: vocabulary.tokens.length,
    prompts: createPromptBuilder({
      ...template,
      modelId,
      contextTokens,
      repairs,
      reasoning,
      specialTokens: readSpecialTokens(weights, vocabulary),
      media,
      ...tokenizer,
      prependToken: weights.tokens.shouldPrependBosToken ? weights.tokens.bos : null,
      longestTokenBytes: tokenBytes.longestBytes,
      infill: infillTokens(weights),
      vocabularyTokens: vocabulary.tokens.length,
      readBytes: (token) => tokenBytes.of(token),
    }),
  };
}

/** Returns a function that lists them at its first call, because it asks the library about each token of the vocabulary. */
function listEndTokens(weights: LlamaModel, { tokens }: TokenVocabulary): () => readonly Token[] {
  let listed: readonly Token[] | null = null;
  const list = (): readonly Token[] => {
    const { eot, eos } = weights.tokens;
    const all = [eot, eos, ...tokens.map((_, token) => token as Token)];
    return [...new Set(all)].filter((token) => token !== null).filter((token) => weights.isEogToken(token));
  };
  return () => (listed ??= list());
}

function infillTokens({ tokens: { infill } }: LlamaModel): InfillTokens | null {
  const { prefix, suffix, middle } = infill;
  return prefix === null || suffix === null ? null : { prefix, suffix, middle };
}

/** @param marks texts whose control tokens are readable; a mark may consist of several. */
function readVocabulary(weights: LlamaModel, marks: readonly string[]): TokenVocabulary {
  const { ggml } = weights.fileInfo.metadata.tokenizer ?? {};
  const { model: tokenizer = "", tokens = [], token_type: types = [] } = ggml ?? {};
  const written = marks.join("\n");
  const readable = tokens.filter(
    (token, id) => isControl(types[id]) && token.length > 1 && written.includes(token),
  );
  return { tokenizer, tokens, types, readableControlTokens: new Set(readable) };
}

/** Returns a function that lists them once, when they are first needed. */
function listControls(
  weights: LlamaModel,
  { tokens, types, readableControlTokens }: TokenVocabulary,
  marks: readonly string[],
): () => ControlTokens {
  let listed: ControlTokens | null = null;
  const list = (): ControlTokens => {
    const known = new Set(marks);
    const isMark = (text: string, token: number): boolean =>
      readableControlTokens.has(text) || (types[token] === tokenTypes.userDefined && known.has(text));
    const others = tokens.flatMap((_, token) =>
      isControl(types[token]) && !weights.isEogToken(token as Token) ? [token as Token] : [],
    );
    const silent = others.filter((token) => !readableControlTokens.has(tokens[token] ?? ""));
    const found = tokens.flatMap((text, token) => (isMark(text, token) ? [token as Token] : []));
    return { silent, all: [...silent, ...found.filter((token) => !weights.isEogToken(token))] };
  };
  return () => (listed ??= list());
}

function isControl(type: number | undefined): boolean {
  return type === tokenTypes.control;
}

/** Reads the special tokens. llama.cpp changes the types of some tokens; a token that is a control token for either is one here. */
function readSpecialTokens(weights: LlamaModel, { tokens, types }: TokenVocabulary): readonly SpecialToken[] {
  const unknownToken = weights.fileInfo.metadata.tokenizer?.ggml.unknown_token_id;
  return tokens.flatMap((name, id) => {
    const { control, unknown, userDefined, lstrip, rstrip } = weights.getTokenAttributes(id as Token);
    const isControl = control || (userDefined && types[id] === tokenTypes.control);
    if (!isControl && !unknown && !userDefined) return [];
    return [
      {
        id,
        // llama.cpp names a token without a text.
        text: name === "" ? `[EMPTY_${id}]` : name,
        templateOnly: isControl || unknown,
        isUnknown: id === unknownToken || (unknown && !isControl),
        stripsBefore: lstrip,
        stripsAfter: rstrip,
      },
    ];
  });
}
