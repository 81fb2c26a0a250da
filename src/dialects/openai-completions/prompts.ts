/** Parses the prompts of a completion request in the four forms that OpenAI allows. Pure. */
import { HearthError, type ErrorKind } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation.js";
import { int32Max } from "../request-fields.js";
import { wellFormed } from "../well-formed.js";
import type { CompletionRequestBody } from "./schema.js";

/** Maximum number of prompts in one request. */
const promptsMax = 128;

/**
 * Reads one text, several texts, the token ids of one prompt, or the token ids of several prompts.
 * @throws HearthError `invalid_field` that names the first element of another type, `invalid_value` for no prompt or too many.
 */
export function parsePrompts(fields: CompletionRequestBody): readonly RawPrompt[] {
  const { prompt, suffix, parse_special: special } = fields;
  const each = {
    suffix: suffix == null || suffix === "" ? null : wellFormed(suffix),
    readsControlTokens: special ?? false,
  };
  if (typeof prompt === "string") return [{ prompt: wellFormed(prompt), ...each }];
  const [first] = prompt;
  if (typeof first === "number") return [{ prompt: tokens(prompt, "prompt"), ...each }];
  if (prompt.length === 0) throw fieldProblem("invalid_value", "prompt", "must not be empty");
  if (prompt.length > promptsMax)
    throw fieldProblem("invalid_value", "prompt", `must hold at most ${promptsMax} prompts`);
  return prompt.map((element, index) => {
    const param = `prompt.${index}`;
    if (typeof first === "string") {
      if (typeof element !== "string") throw fieldProblem("invalid_field", param, "must be a string");
      return { prompt: wellFormed(element), ...each };
    }
    if (!Array.isArray(element))
      throw fieldProblem("invalid_field", param, "must be a string or an array of token ids");
    return { prompt: tokens(element, param), ...each };
  });
}

/** Checks the type and range of token ids. The engine checks whether they are in the vocabulary. */
function tokens(elements: readonly unknown[], param: string): readonly number[] {
  return elements.map((id, index) => {
    if (typeof id !== "number" || !Number.isInteger(id))
      throw fieldProblem("invalid_field", `${param}.${index}`, "must be an integer");
    if (id < 0 || id > int32Max)
      throw fieldProblem("invalid_value", `${param}.${index}`, `must be between 0 and ${int32Max}`);
    return id;
  });
}

function fieldProblem(kind: ErrorKind, param: string, problem: string): HearthError {
  return new HearthError(kind, `${param}: ${problem}`, { param });
}
