/**
 * Converts a conversation to prompt tokens with the model's own chat template. Text of the template may contain control tokens; text of
 * messages is always plain text, so that a `<|im_end|>` inside a message never ends a turn (threat F4).
 */
import type { Conversation, Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { RawPrompt } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";
import { createRawPromptBuilder, type RawPromptModel } from "./raw-prompt.js";
import { endsInReasoning, type ReasoningMarks } from "../answer/reasoning.js";
import { renderWithRepairs, type TemplateModel } from "./render.js";
import type { Repair } from "./repairs.js";

/** The properties of a loaded model that prompts depend on. */
export interface PromptModel extends RawPromptModel, TemplateModel {
  readonly modelId: string;
  /** What the template needs of an ordinary conversation. */
  readonly repairs: readonly Repair[];
  readonly reasoning: ReasoningMarks | null;
  /** Texts that the tokenizer would convert to one special token. */
  readonly specialTexts: readonly string[];
}

export interface PromptBuilder {
  /**
   * Renders and tokenises a conversation.
   * @throws HearthError `context_length_exceeded` when no space is left for an answer, `invalid_value` when the template
   * refuses the conversation, whatever its repairs, or exceeds its budget.
   */
  build(conversation: Conversation): Promise<Prompt>;
  /**
   * Tokenises a prompt without the template.
   * @throws HearthError `context_length_exceeded`, and `invalid_value` for tokens that are not in the vocabulary.
   */
  buildRaw(prompt: RawPrompt): Prompt;
  /** Returns the tokens of a text; special texts in it are plain text, not control tokens. */
  tokenize(text: string): readonly number[];
}

/** Creates the prompt builder of one model. */
export function createPromptBuilder(model: PromptModel): PromptBuilder {
  const mask = createMask(model.specialTexts);
  const tokenizePlain = (text: string): readonly number[] =>
    mask.split(mask.hide(text)).flatMap((part) => tokenizePart(model, part, false));
  return {
    buildRaw: createRawPromptBuilder(model, tokenizePlain),
    tokenize: tokenizePlain,
    async build(conversation) {
      const { prefill = "" } = conversation;
      const rendered = await render(model, mask, conversation);
      const text = withPrefill(model, rendered, mask.hide(prefill));
      const bytes = Buffer.byteLength(text);
      const fewest = Math.ceil(bytes / model.longestTokenBytes);
      if (fewest >= model.contextTokens)
        throw promptTooLong(model.contextTokens, `at least ${fewest}`, "messages");
      const tokens = mask.split(text).flatMap((part) => tokenizePart(model, part, true));
      if (model.prependToken !== null && tokens[0] !== model.prependToken) tokens.unshift(model.prependToken);
      if (tokens.length >= model.contextTokens)
        throw promptTooLong(model.contextTokens, String(tokens.length), "messages");
      const startsInReasoning =
        model.reasoning !== null && prefill === "" && endsInReasoning(model.reasoning, text);
      return { tokens: Uint32Array.from(tokens), startsInReasoning };
    },
  };
}

async function render(model: PromptModel, mask: Mask, conversation: Conversation): Promise<string> {
  const { messages, tools, reasoningEffort } = conversation;
  // Message text is masked before the tool format adds its markers, which stay control tokens.
  const masked = { messages: mask.hide(messages), tools: mask.hide(tools), reasoningEffort };
  const { rendering } = await renderWithRepairs(model, masked, model.repairs);
  switch (rendering.type) {
    case "text":
      return rendering.text;
    case "exceeded":
      throw invalidMessages(
        `The chat template of the model '${model.modelId}' ${rendering.limit} for this conversation.`,
      );
    default:
      throw invalidMessages(`The model's chat template rejects this conversation: ${rendering.reason}`);
  }
}

function invalidMessages(message: string): HearthError {
  return new HearthError("invalid_value", message, { param: "messages" });
}

/** Appends the given beginning of the answer to the prompt, after closing a reasoning block that the template opened. */
function withPrefill({ tools, reasoning }: PromptModel, prompt: string, answerStart: string): string {
  if (answerStart === "") return prompt;
  const isReasoning = reasoning !== null && endsInReasoning(reasoning, prompt);
  const answer = isReasoning ? `${prompt.trimEnd()}\n\n${reasoning.close}\n\n` : prompt;
  return answer + tools.answerOpening + answerStart;
}

/** A part of a rendered prompt: text of the template, or a special text that occurred in a message. */
interface Part {
  readonly text: string;
  readonly isMessageText: boolean;
}

/** @param specialTokens whether text that is not masked may contain control tokens. */
function tokenizePart(model: PromptModel, part: Part, specialTokens: boolean): readonly number[] {
  if (!part.isMessageText) return model.tokenize(part.text, specialTokens);
  // Split after the first character, so that neither piece is a special text.
  const [first = ""] = part.text;
  return [...model.tokenize(first, false), ...model.tokenize(part.text.slice(first.length), false)];
}

interface Mask {
  /** Returns the value with every special text in its strings replaced by a placeholder. */
  hide<T>(value: T): T;
  /** Splits a rendered prompt at the placeholders, and restores the text of each. */
  split(rendered: string): readonly Part[];
}

/** Placeholders are `U+E000 index U+E001`; a U+E000 in a message is itself masked, so that placeholders cannot be forged. */
function createMask(specialTexts: readonly string[]): Mask {
  const hidden = ["\uE000", ...specialTexts.filter((text) => text !== "")];
  const indexOf = new Map(hidden.map((text, index) => [text, index]));
  const pattern = new RegExp(
    [...hidden]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|"),
    "g",
  );
  const hideText = (text: string): string =>
    text.replace(pattern, (found) => `\uE000${String(indexOf.get(found) ?? 0)}\uE001`);
  return {
    hide: (value) => mapStrings(value, hideText) as typeof value,
    split: (rendered) =>
      rendered
        .split(/\uE000(\d+)\uE001/)
        .map((text, position): Part => {
          const isMessageText = position % 2 === 1;
          return { text: isMessageText ? (hidden[Number(text)] ?? "") : text, isMessageText };
        })
        .filter((part) => part.text !== ""),
  };
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]),
  );
}
