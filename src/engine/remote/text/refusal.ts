/** The error of a request that a server of texts will not answer: a sentence of Hearth's own by the kind of what the server says. */
import { HearthError, type ErrorDetails, type PromptSizes } from "../../../core/errors.js";

const tooLong =
  /context_length_exceeded|maximum context|context (?:length|window|size)|prompt is too long|too many (?:input )?tokens/i;
const withheld = /content_filter|content[ _]policy|moderation|safety/i;
const image = /\bimage/i;
/** Fields of requests that a server may refuse. */
const fields = [
  "temperature",
  "top_p",
  "max_tokens",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "parallel_tool_calls",
  "tool_choice",
  "tools",
  "messages",
];

/**
 * Returns the error of a request that is wrong in itself; null: the server has failed.
 * @param text what the server says: it decides the kind of the error, and never is a part of it, because it may have addresses, keys and
 * parts of other requests. @param cause what the operator reads
 */
export function readRefusal(status: number, text: string, cause: Error): HearthError | null {
  if (![400, 404, 413, 422].includes(status)) return null;
  if (status === 404)
    return new HearthError("model_unavailable", "The engine of this model does not have it.", {
      param: "model",
      code: "engine_failed",
      cause,
    });
  if (status === 413 || tooLong.test(text)) return tooLongError(text, cause);
  const refuse = (sentence: string, details: ErrorDetails = {}): HearthError =>
    new HearthError("invalid_value", sentence, { ...details, cause });
  if (withheld.test(text))
    return refuse("The server of this model refuses the request by its rules for contents.");
  const field = refusedField(text);
  if (field !== null) return refuse(`${field}: the server of this model refuses it.`, { param: field });
  if (image.test(text)) return refuse("The server of this model refuses an image of the request.");
  return refuse(`The server of this model refuses the request (${status}).`);
}

function tooLongError(text: string, cause: Error): HearthError {
  const sizes = sizesIn(text);
  const numbers =
    sizes === null
      ? ""
      : `: it takes ${sizes.tokensMax} tokens, and the request has ${sizes.requestedTokens}`;
  return new HearthError(
    "context_length_exceeded",
    `messages: they are too long for the server of this model${numbers}.`,
    { param: "messages", code: "context_length_exceeded", promptSizes: sizes, cause },
  );
}

/** Returns the numbers of the known forms, as of OpenAI, vLLM, llama-server and Anthropic; null: they are not there. */
function sizesIn(text: string): PromptSizes | null {
  const [, tokensMax] =
    /(?:maximum context length (?:is|of)|context (?:size|window)\D{0,20}|> )\s?(\d{1,9})\b/i.exec(text) ?? [];
  const [, requested] =
    /(?:resulted in|requested|request \(|too long: |has) ?(\d{1,9})(?: tokens|\b)/i.exec(text) ?? [];
  if (tokensMax === undefined || requested === undefined) return null;
  return { tokensMax: Number(tokensMax), requestedTokens: Number(requested) };
}

/** Returns the field that the server says is wrong: its `param`, or the only one that it names. */
function refusedField(text: string): string | null {
  const [, param = ""] = /"param"\s*:\s*"(\w{1,40})/.exec(text) ?? [];
  if (fields.includes(param)) return param;
  const named = fields.filter((field) => new RegExp(`\\b${field}\\b`).test(text));
  return named.length === 1 ? (named[0] ?? null) : null;
}
