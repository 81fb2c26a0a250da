/** The fields by which clients say that the last message, which is the assistant's, is the beginning of the answer. Pure. */
import { z } from "zod";
import type { AnswerFormat, Message } from "../../core/generation.js";
import { invalidValue, unsupported } from "../field-error.js";
import { inBody, type FieldPath } from "./field-path.js";

export const continuationFields = {
  continue_final_message: z
    .boolean()
    .nullish()
    .describe("With true, the last message, which is the assistant's, is the beginning of the answer."),
  add_generation_prompt: z
    .boolean()
    .nullish()
    .describe("`false` is allowed only where the last message is continued."),
};

/** The field of a message. */
export const prefixField = z
  .boolean()
  .nullish()
  .describe("Of the last message: with true, it is the beginning of the answer.");

type ContinuationBody = z.infer<z.ZodObject<typeof continuationFields>>;

/**
 * Returns whether a request demands that its last message is continued.
 * @param isPrefix whether that message says so itself, or the dialect continues it anyway
 * @throws HearthError `invalid_value` where the prompt must not have the beginning of an answer.
 */
export function parseContinuation(
  fields: ContinuationBody,
  isPrefix: boolean,
  toPath: FieldPath = inBody,
): boolean {
  const continues = fields.continue_final_message === true || isPrefix;
  if (!continues && fields.add_generation_prompt === false)
    throw unsupported(toPath("add_generation_prompt"), "a prompt without the beginning of an answer is");
  return continues;
}

/**
 * Splits a conversation into what is before the answer, and the beginning of the answer.
 * @param param the field of the last message
 * @throws HearthError `invalid_value` for another message than a text of the assistant, and with a format of the answer.
 */
export function splitContinued(
  messages: readonly Message[],
  format: AnswerFormat,
  param: string,
): { readonly messages: readonly Message[]; readonly prefill: string } {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.toolCalls !== undefined)
    throw invalidValue(param, "cannot be continued: it is not a text of the assistant");
  if (format.type !== "text") throw invalidValue(param, "cannot be continued with a format of the answer");
  return { messages: messages.slice(0, -1), prefill: last.content };
}
