/** POST /v1/completions, from wire JSON to the house's own request. Pure. */
import { noTools, type GenerationRequest } from "../../core/generation.js";
import { fieldError, invalidValue, unsupported } from "../field-error.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { parsePrompts } from "./prompts.js";
import { completionRequestSchema, type CompletionRequestBody } from "./schema.js";

export interface CompletionRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  /** Whether a stream carries a usage chunk at its end. */
  readonly includeUsage: boolean;
  /** Whether the client reads log probabilities; the request may ask for them for another reason. */
  readonly tellsLogprobs: boolean;
  /** Choices that are told of each prompt: all that are drawn of it, or the likeliest ones. */
  readonly choicesToldEach: number;
  /** Choices that are drawn of each prompt. */
  readonly choicesDrawnEach: number;
}

/** OpenAI's own. */
const maxTokensDefault = 16;

/** Choices of one request, those of all its prompts together. */
const choicesMax = 128;

/**
 * Reads a request body.
 * @throws HearthError `invalid_field` for what is missing or ill-typed, `invalid_value` for what is out of range or not
 * served, each naming the field.
 */
export function parseCompletionRequest(body: unknown): CompletionRequest {
  const parsed = completionRequestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const fields = parsed.data;
  const told = fields.n ?? 1;
  const drawn = fields.best_of ?? told;
  refuseContradictions(fields, told, drawn);
  const prompts = parsePrompts(fields);
  const choices = prompts.length * drawn;
  if (choices > choicesMax)
    throw invalidValue(
      "prompt",
      `prompts times choices must be at most ${choicesMax}, here they are ${choices}`,
    );
  const logprobs = alternatives(fields);
  return {
    request: {
      model: fields.model,
      messages: [],
      raw: { prompts, echo: fields.echo ?? false },
      tools: [],
      toolChoice: noTools,
      format: { type: "text" },
      reasoningEffort: "default",
      sampling: parseSampling(fields),
      // The likeliest choices are known by their log probabilities.
      topLogprobs: logprobs ?? (drawn > told ? 0 : null),
      choices,
      stop: parseStops(fields),
      maxTokens: fields.max_tokens ?? maxTokensDefault,
      maxTokensExcludesReasoning: false,
      deterministic: fields.deterministic ?? false,
    },
    stream: fields.stream ?? false,
    includeUsage: fields.stream_options?.include_usage ?? false,
    tellsLogprobs: logprobs !== null,
    choicesToldEach: told,
    choicesDrawnEach: drawn,
  };
}

function refuseContradictions(fields: CompletionRequestBody, told: number, drawn: number): void {
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  if (drawn < told) throw invalidValue("best_of", `must be at least n, which is ${told}`);
  if (stream && drawn > told)
    throw invalidValue("best_of", "must be n in a stream: the best is known only at the end");
  if (fields.echo === true && alternatives(fields) !== null)
    throw unsupported("echo", "log probabilities of the prompt (echo together with logprobs) are");
}

/** xAI asks with a boolean. */
function alternatives({ logprobs }: CompletionRequestBody): number | null {
  if (logprobs == null || logprobs === false) return null;
  return logprobs === true ? 1 : logprobs;
}
