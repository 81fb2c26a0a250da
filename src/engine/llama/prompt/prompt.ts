/**
 * From a conversation to prompt tokens, by the model's own chat template. What the template writes is read with its control
 * tokens; what people wrote is plain text, always: a `<|im_end|>` inside a message never ends a turn (threat F4).
 */
import { Template } from "@huggingface/jinja";
import type { Conversation, Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { RawPrompt, Tool } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";
import { createRawPromptMaker, type RawPromptModel } from "./raw-prompt.js";
import { endsInReasoning, type ReasoningMarks } from "../answer/reasoning.js";
import type { ToolFormat } from "../tools/format.js";

/** What this file needs of a loaded model. */
export interface PromptModel extends RawPromptModel {
  /** Jinja source of the chat template. */
  readonly template: string;
  /** How conversations with tools are handed to the template. */
  readonly tools: ToolFormat;
  readonly reasoning: ReasoningMarks | null;
  /** Texts that the tokenizer would read as one special token. */
  readonly specialTexts: readonly string[];
  readonly bosText: string;
  readonly eosText: string;
}

export interface PromptMaker {
  /**
   * Renders and tokenises.
   * @throws HearthError `context_length_exceeded` when no room is left for an answer, `invalid_value` when the template
   * refuses the conversation.
   */
  make(conversation: Conversation): Prompt;
  /**
   * Tokenises a prompt that has no need of the template.
   * @throws HearthError likewise, and `invalid_value` for what is not in the vocabulary.
   */
  makeRaw(prompt: RawPrompt): Prompt;
  /** The tokens of a text as a person writes it: none of it is read as a control token. */
  tokenize(text: string): readonly number[];
}

/** Builds the prompt maker of one model. @throws Error when the template is not valid Jinja. */
export function createPromptMaker(model: PromptModel): PromptMaker {
  const template = new Template(model.template);
  const mask = createMask(model.specialTexts);
  const written = (text: string): readonly number[] =>
    mask.split(mask.hide(text)).flatMap((part) => tokenizePart(model, part, false));
  return {
    makeRaw: createRawPromptMaker(model, written),
    tokenize: written,
    make(conversation) {
      const { prefill = "" } = conversation;
      const text = continued(model, render(template, model, mask, conversation), mask.hide(prefill));
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

function render(template: Template, model: PromptModel, mask: Mask, conversation: Conversation): string {
  const { reasoningEffort } = conversation;
  // What people wrote is hidden first: the marks that the format puts around it stay what they are.
  const messages = conversation.messages.map((message) => mask.hide(message));
  const tools = conversation.tools.map((tool) => mask.hide(tool));
  const variables: Record<string, unknown> = {
    messages: model.tools.renderMessages(messages, tools),
    add_generation_prompt: true,
    bos_token: model.bosText,
    eos_token: model.eosText,
  };
  if (tools.length > 0 && model.tools.writesDefinitions) variables["tools"] = tools.map(templateTool);
  if (reasoningEffort !== "default") variables["enable_thinking"] = reasoningEffort !== "none";
  try {
    return template.render(variables);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new HearthError("invalid_value", `The model's chat template refuses this conversation: ${why}`, {
      param: "messages",
      cause: thrown,
    });
  }
}

/** The prompt up to the end of what the answer begins with; reasoning that the template opened is ended before it. */
function continued({ tools, reasoning }: PromptModel, prompt: string, begun: string): string {
  if (begun === "") return prompt;
  const thinks = reasoning !== null && endsInReasoning(reasoning, prompt);
  const answer = thinks ? `${prompt.trimEnd()}\n\n${reasoning.close}\n\n` : prompt;
  return answer + tools.answerOpening + begun;
}

function templateTool(tool: Tool): Record<string, unknown> {
  const { name, description, parameters } = tool;
  return {
    type: "function",
    function: description === undefined ? { name, parameters } : { name, description, parameters },
  };
}

/** A piece of a rendered prompt: the template's own text, or a special text that a person wrote. */
interface Part {
  readonly text: string;
  readonly written: boolean;
}

/** @param specialTokens whether what is not masked may hold control tokens. */
function tokenizePart(model: PromptModel, part: Part, specialTokens: boolean): readonly number[] {
  if (!part.written) return model.tokenize(part.text, specialTokens);
  // Split after the first character, no piece is a special text any more, whatever the tokenizer makes of special texts.
  const [first = ""] = part.text;
  return [...model.tokenize(first, false), ...model.tokenize(part.text.slice(first.length), false)];
}

interface Mask {
  /** The same value with every special text in its strings replaced by a placeholder. */
  hide<T>(value: T): T;
  /** A rendered prompt cut at the placeholders, each given back as the text it stands for. */
  split(rendered: string): readonly Part[];
}

/** Placeholders are `U+E000 index U+E001`; a U+E000 that a person wrote is itself hidden, so none can be forged. */
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
          const written = position % 2 === 1;
          return { text: written ? (hidden[Number(text)] ?? "") : text, written };
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
