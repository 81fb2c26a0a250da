/** Prompt builders of models that have a template, and a tokenizer that maps characters to their codes. */
import type { Conversation } from "../../../../src/core/engine.js";
import { HearthError } from "../../../../src/core/errors.js";
import type { Message } from "../../../../src/core/generation.js";
import { findReasoningMarks } from "../../../../src/engine/language/reasoning.js";
import {
  createPromptBuilder,
  type PromptBuilder,
  type PromptModel,
} from "../../../../src/engine/language/prompt/prompt.js";
import { readToolFormat } from "../../../../src/engine/language/tools/format.js";
import { renderHere } from "../../../kit/engine/render-here.js";

export const firstSpecial = 2_000_000;
const specials = ["<|im_start|>", "<|im_end|>", "<think>", "</think>"];
const template =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n" +
  "{% if enable_thinking is defined and enable_thinking %}<think>\n{% endif %}";

/** Control tokens are 2,000,000 and up; every other character is its own code point. */
function tokenize(text: string, specialTokens: boolean): number[] {
  const tokens: number[] = [];
  for (let at = 0; at < text.length;) {
    const special = specials.findIndex((mark) => text.startsWith(mark, at));
    // Like llama.cpp, which also finds user-defined tokens (here the think markers) in plain text.
    if (special >= 0 && (specialTokens || special >= 2)) {
      tokens.push(firstSpecial + special);
      at += (specials[special] ?? "").length;
    } else tokens.push(text.charCodeAt(at++));
  }
  return tokens;
}

/** Creates a prompt builder whose tokenizer is a stand-in. @param source the chat template */
export function promptBuilder(
  overrides: Partial<PromptModel> = {},
  source: string = template,
): PromptBuilder {
  return createPromptBuilder({
    modelId: "model",
    renderer: renderHere(source),
    tools: readToolFormat(template),
    repairs: [],
    reasoning: findReasoningMarks(template),
    specialTokens: specials.map((text, index) => ({
      id: firstSpecial + index,
      text,
      templateOnly: index < 2,
      isUnknown: false,
      stripsBefore: false,
      stripsAfter: false,
    })),
    addsSpace: false,
    bosText: "",
    eosText: "<|im_end|>",
    prependToken: null,
    contextTokens: 200,
    longestTokenBytes: 12,
    infill: null,
    vocabularyTokens: 3_000_000,
    readBytes: (token) => Buffer.from(String.fromCharCode(token)),
    tokenize,
    ...overrides,
  });
}

/** A conversation without tools. */
export const talk = (...messages: Message[]): Conversation => ({
  messages,
  tools: [],
  reasoningEffort: "none",
});
export const user = (content: string): Message => ({ role: "user", content });
/** Returns the text of tokens; a control token is its number in brackets. */
export const readTokens = (tokens: Uint32Array): string =>
  [...tokens]
    .map((token) => (token >= firstSpecial ? `[${token - firstSpecial}]` : String.fromCharCode(token)))
    .join("");

/** Returns the error that a promise rejects with. */
export async function refusalOf(promise: Promise<unknown>): Promise<HearthError> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  if (thrown instanceof HearthError) return thrown;
  throw new Error("nothing was refused");
}
