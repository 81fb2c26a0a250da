/** The prompts of a completion request in the four forms that OpenAI knows, from the wire to the house's own. Pure. */
import { HearthError, type ErrorKind } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation.js";
import { int32Max } from "../bounded.js";
import { wellFormed } from "../well-formed.js";
import type { CompletionRequestBody } from "./schema.js";

/** Prompts of one request. */
const promptsMax = 128;

/**
 * Reads one text, several, the token ids of one prompt, or those of several.
 * @throws HearthError `invalid_field` naming the element that is none of these, `invalid_value` for too many or none.
 */
export function parsePrompts(fields: CompletionRequestBody): readonly RawPrompt[] {
  const { prompt: given, suffix, parse_special: special } = fields;
  const each = {
    suffix: suffix == null || suffix === "" ? null : wellFormed(suffix),
    readsControlTokens: special ?? false,
  };
  if (typeof given === "string") return [{ prompt: wellFormed(given), ...each }];
  const [first] = given;
  if (typeof first === "number") return [{ prompt: tokens(given, "prompt"), ...each }];
  if (given.length === 0) throw refusal("invalid_value", "prompt", "must not be empty");
  if (given.length > promptsMax)
    throw refusal("invalid_value", "prompt", `must hold at most ${promptsMax} prompts`);
  return given.map((element, index) => {
    const param = `prompt.${index}`;
    if (typeof first === "string") {
      if (typeof element !== "string") throw refusal("invalid_field", param, "must be a string");
      return { prompt: wellFormed(element), ...each };
    }
    if (!Array.isArray(element))
      throw refusal("invalid_field", param, "must be a string or an array of token ids");
    return { prompt: tokens(element, param), ...each };
  });
}

/** Whether an id is in the vocabulary is for the engine to say. */
function tokens(elements: readonly unknown[], param: string): readonly number[] {
  return elements.map((id, index) => {
    if (typeof id !== "number" || !Number.isInteger(id))
      throw refusal("invalid_field", `${param}.${index}`, "must be an integer");
    if (id < 0 || id > int32Max)
      throw refusal("invalid_value", `${param}.${index}`, `must be between 0 and ${int32Max}`);
    return id;
  });
}

function refusal(kind: ErrorKind, param: string, problem: string): HearthError {
  return new HearthError(kind, `${param}: ${problem}`, { param });
}
