/**
 * Converts a conversation to prompt tokens with the model's own chat template. Text of the template may contain control tokens; text of
 * messages never does, so that a `<|im_end|>` inside a message never ends a turn (threat F4).
 */
import type { Conversation, Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { Message } from "../../../core/generation.js";
import { countPromptTokens, type MessageMedium, type PromptMedium } from "../../../core/prompt/media.js";
import { promptTooLong } from "./context-length.js";
import { createRawPromptBuilder, type RawPromptModel } from "./raw-prompt.js";
import { endsInReasoning, type ReasoningMarks } from "../reasoning.js";
import { createMask, mediumMark, type Part, type TextMask } from "./mask.js";
import type { MediaLayout } from "./media-layout.js";
import { renderWithRepairs, type TemplateModel } from "./render.js";
import type { Repair } from "../repairs.js";
import { completeArguments, isArgumentsObject, readArguments } from "../tools/call-text.js";
import { createTextTokenizer, type TokenizerModel } from "./text-tokenizer.js";

/** The properties of a loaded model that prompts depend on. */
export interface PromptModel extends RawPromptModel, TemplateModel, TokenizerModel {
  readonly modelId: string;
  /** What the template needs of an ordinary conversation. */
  readonly repairs: readonly Repair[];
  readonly reasoning: ReasoningMarks | null;
  /** Reads images and sound; absent or null: the model reads text alone. */
  readonly media?: MediaLayout | null;
}

export type PromptBuilder = ReturnType<typeof createPromptBuilder>;

/** Creates the prompt builder of one model. */
export function createPromptBuilder(model: PromptModel) {
  const templateOnly = model.specialTokens.filter((token) => token.templateOnly);
  const mask = createMask(templateOnly.map((token) => token.text));
  const tokenizer = createTextTokenizer(model);
  return {
    /**
     * Tokenises a prompt without the template.
     * @throws HearthError `context_length_exceeded`, and `invalid_value` for tokens that are not in the vocabulary.
     */
    buildRaw: createRawPromptBuilder(model, tokenizer.plain),
    /** Returns the tokens of a text; control texts in it are plain text, not control tokens. */
    tokenize: tokenizer.plain,
    /**
     * Renders and tokenises a conversation.
     * @throws HearthError `context_length_exceeded` when no space is left for an answer, `invalid_value` when the template
     * refuses the conversation, whatever its repairs, or exceeds its budget.
     */
    async build(conversation: Conversation): Promise<Prompt> {
      const { prefill = "" } = conversation;
      const media = conversation.messages.flatMap((message) => message.media ?? []);
      const rendered = await render(model, mask, conversation);
      const text = withPrefill(model, rendered, mask.hide(prefill));
      const bytes = Buffer.byteLength(text);
      const fewest = Math.ceil(bytes / model.longestTokenBytes);
      if (fewest >= model.contextTokens) throw promptTooLong(model.contextTokens, fewest, "messages", true);
      const laidOut = await layOut(model, (parts) => tokenizer.rendered(parts), mask.split(text), media);
      const count = countPromptTokens(laidOut);
      if (count >= model.contextTokens) throw promptTooLong(model.contextTokens, count, "messages");
      const startsInReasoning =
        model.reasoning !== null && prefill === "" && endsInReasoning(model.reasoning, text);
      return { ...laidOut, startsInReasoning };
    },
  };
}

/** Returns the tokens of a rendered prompt, with placeholders where its media are. */
async function layOut(
  { media: layout = null, prependToken }: PromptModel,
  tokenize: (parts: readonly Part[]) => readonly number[],
  split: ReturnType<TextMask["split"]>,
  media: readonly MessageMedium[],
) {
  const tokens: number[] = [];
  const parts: PromptMedium[] = [];
  let texts: Part[] = [];
  const closeText = (): void => {
    for (const token of texts.every(({ text }) => text === "") ? [] : tokenize(texts)) tokens.push(token);
    if (prependToken !== null && tokens[0] !== prependToken) tokens.unshift(prependToken);
    texts = [];
  };
  for (const part of split) {
    if ("text" in part) {
      texts.push(part);
      continue;
    }
    const found = media[part.medium];
    if (found === undefined || layout === null) throw new Error("no medium is known for a mark");
    closeText();
    const { tokens: own, parts: ownParts } = await layout.layOut(found.medium, found.param);
    for (const each of ownParts)
      parts.push({ ...each, start: tokens.length + each.start, medium: part.medium });
    for (const token of own) tokens.push(token);
  }
  closeText();
  return {
    tokens: Uint32Array.from(tokens),
    media: parts.length === 0 ? undefined : { media: media.map(({ medium }) => medium), parts },
  };
}

async function render(model: PromptModel, mask: TextMask, conversation: Conversation): Promise<string> {
  const { messages, tools, reasoningEffort, templateVariables } = conversation;
  // Message text is masked before the tool format adds its markers, which stay control tokens.
  const masked = {
    messages: hideMessages(mask, messages),
    tools: mask.hide(tools),
    templateVariables: mask.hide(templateVariables),
    reasoningEffort,
  };
  const broken = listBrokenArguments(masked.messages);
  const marks = messages.flatMap(({ media = [] }) => media).map((_, index) => mediumMark(index));
  const isWhole = (text: string): boolean =>
    broken.every((forms) => forms.some((form) => text.includes(form))) &&
    marks.every((mark) => text.split(mark).length === 2);
  const { rendering } = await renderWithRepairs(model, masked, model.repairs, isWhole);
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

/** Masks the texts of messages, and puts marks where their media are. */
function hideMessages(mask: TextMask, messages: readonly Message[]): readonly Message[] {
  let count = 0;
  return messages.map(({ media = [], ...message }) => {
    const hidden = mask.hide(message);
    if (media.length === 0) return hidden;
    const bounds = [0, ...media.map(({ at }) => at), message.content.length];
    const pieces = bounds.slice(1).map((end, index) => mask.hide(message.content.slice(bounds[index], end)));
    const content = pieces.map((piece, index) =>
      index < media.length ? piece + mediumMark(count++) : piece,
    );
    return { ...hidden, content: content.join("") };
  });
}

/** Returns the forms in which a prompt can have each call's arguments that are no object: as they are, and as a JSON string. */
function listBrokenArguments(messages: readonly Message[]): readonly (readonly string[])[] {
  return messages.flatMap(({ toolCalls = [] }) =>
    toolCalls.flatMap((call) => {
      if (isArgumentsObject(readArguments(call))) return [];
      const text = completeArguments(call.arguments);
      return [[text, JSON.stringify(text).slice(1, -1)]];
    }),
  );
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
