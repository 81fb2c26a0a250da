/**
 * Converts a conversation to prompt tokens with the model's own chat template. Text of the template may contain control tokens; text of
 * messages never does, so that a `<|im_end|>` inside a message never ends a turn (threat F4).
 */
import type { Conversation, Prompt } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { Message } from "../../../core/generation.js";
import { promptTooLong } from "./context-length.js";
import { createRawPromptBuilder, type RawPromptModel } from "./raw-prompt.js";
import { endsInReasoning, type ReasoningMarks } from "../reasoning.js";
import { createMask, type TextMask } from "./mask.js";
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
      const rendered = await render(model, mask, conversation);
      const text = withPrefill(model, rendered, mask.hide(prefill));
      const bytes = Buffer.byteLength(text);
      const fewest = Math.ceil(bytes / model.longestTokenBytes);
      if (fewest >= model.contextTokens) throw promptTooLong(model.contextTokens, fewest, "messages", true);
      const tokens = [...tokenizer.rendered(mask.split(text))];
      if (model.prependToken !== null && tokens[0] !== model.prependToken) tokens.unshift(model.prependToken);
      if (tokens.length >= model.contextTokens)
        throw promptTooLong(model.contextTokens, tokens.length, "messages");
      const startsInReasoning =
        model.reasoning !== null && prefill === "" && endsInReasoning(model.reasoning, text);
      return { tokens: Uint32Array.from(tokens), startsInReasoning };
    },
  };
}

async function render(model: PromptModel, mask: TextMask, conversation: Conversation): Promise<string> {
  const { messages, tools, reasoningEffort, templateVariables } = conversation;
  // Message text is masked before the tool format adds its markers, which stay control tokens.
  const masked = {
    messages: mask.hide(messages),
    tools: mask.hide(tools),
    templateVariables: mask.hide(templateVariables),
    reasoningEffort,
  };
  const broken = listBrokenArguments(masked.messages);
  const isWhole = (text: string): boolean =>
    broken.every((forms) => forms.some((form) => text.includes(form)));
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
