/** Parses the request of POST /v1/completions into a GenerationRequest. Pure. */
import { noTools, type GenerationRequest } from "../../core/generation.js";
import { invalidValue, unsupported, validFields } from "../field-error.js";
import { labelsOf } from "../run-labels.js";
import { parseSampling, parseStops } from "../openai-sampling.js";
import { parsePrompts } from "./prompts.js";
import { completionRequestSchema, type CompletionRequestBody } from "./schema.js";

export interface CompletionRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
  /** Whether a stream ends with a usage chunk. */
  readonly includeUsage: boolean;
  /** Whether the response includes log probabilities. The generation may compute them for `best_of` alone. */
  readonly includesLogprobs: boolean;
  /** Choices that are returned for each prompt: all that are sampled, or the most likely ones. */
  readonly choicesReturnedPerPrompt: number;
  /** Choices that are sampled for each prompt. */
  readonly choicesSampledPerPrompt: number;
}

/** OpenAI's default. */
const maxTokensDefault = 16;

/** Choices of one request, over all its prompts. */
const choicesMax = 128;

/**
 * Parses a request body.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range or not supported.
 */
export function parseCompletionRequest(body: unknown): CompletionRequest {
  const fields = validFields(completionRequestSchema, body);
  const returned = fields.n ?? 1;
  const sampled = fields.best_of ?? returned;
  rejectContradictions(fields, returned, sampled);
  const prompts = parsePrompts(fields);
  const choices = prompts.length * sampled;
  if (choices > choicesMax)
    throw invalidValue(
      "prompt",
      `prompts times choices must be at most ${choicesMax}, here they are ${choices}`,
    );
  const logprobs = topLogprobsOf(fields);
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
      // Log probabilities are needed to select the most likely choices.
      topLogprobs: logprobs ?? (sampled > returned ? 0 : null),
      choices,
      stop: parseStops(fields),
      ...labelsOf(fields),
      maxTokens: fields.max_tokens ?? null,
      maxTokensUnstated: maxTokensDefault,
      maxTokensExcludesReasoning: false,
      deterministic: fields.deterministic ?? false,
    },
    stream: fields.stream ?? false,
    includeUsage: fields.stream_options?.include_usage ?? false,
    includesLogprobs: logprobs !== null,
    choicesReturnedPerPrompt: returned,
    choicesSampledPerPrompt: sampled,
  };
}

function rejectContradictions(fields: CompletionRequestBody, returned: number, sampled: number): void {
  const stream = fields.stream ?? false;
  if (!stream && fields.stream_options != null)
    throw invalidValue("stream_options", "is only allowed together with stream: true");
  if (sampled < returned) throw invalidValue("best_of", `must be at least n, which is ${returned}`);
  if (stream && sampled > returned)
    throw invalidValue("best_of", "must be n in a stream: the best is known only at the end");
  if (fields.echo === true && topLogprobsOf(fields) !== null)
    throw unsupported("echo", "log probabilities of the prompt (echo together with logprobs) are");
}

/** Number of alternatives per token; null if no log probabilities are requested. xAI's `true` means one. */
function topLogprobsOf({ logprobs }: CompletionRequestBody): number | null {
  if (logprobs == null || logprobs === false) return null;
  return logprobs === true ? 1 : logprobs;
}
