/** Parses the request of POST /v1/completions into a GenerationRequest. Pure. */
import type { z } from "zod";
import { HearthError, type ErrorKind } from "../../core/errors.js";
import { noTools, type GenerationRequest, type RawPrompt } from "../../core/generation.js";
import { invalidValue, unsupported, validFields } from "../field-error.js";
import { int32Max } from "../request-fields.js";
import { readRunLabels } from "../run-labels.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import { parseOtherFormat } from "../generation/format-fields.js";
import { rawHasNoReasoning, warnOfReasoning } from "../generation/reasoning-fields.js";
import { parseMaxTokens, parseSampling, parseStops } from "../generation/sampling.js";
import { wellFormed } from "../well-formed.js";
import { completionRequestSchema } from "./schema.js";

type CompletionRequestBody = z.infer<typeof completionRequestSchema>;

interface CompletionRequest {
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
  const logprobs = readTopLogprobs(fields);
  const maxTokens = parseMaxTokens(fields.max_tokens);
  const other = parseOtherFormat(fields);
  const engine = parseEngineFields({ ...fields, truncate_prompt_tokens: null }, maxTokens);
  return {
    request: {
      model: fields.model,
      messages: [],
      raw: { prompts, echo: fields.echo ?? false },
      tools: [],
      toolChoice: noTools,
      format: other?.format ?? { type: "text" },
      schemaPaths: other === null ? undefined : { format: other.formatPath, tools: [] },
      reasoningEffort: "default",
      sampling: parseSampling(fields),
      // Log probabilities are needed to select the most likely choices.
      topLogprobs: logprobs ?? (sampled > returned ? 0 : null),
      choices,
      stop: parseStops(fields),
      labels: readRunLabels(fields),
      ...engine,
      warnings: [...engine.warnings, ...warnOfReasoning(fields, rawHasNoReasoning)],
      maxTokens,
      maxTokensUnstated: fields.max_tokens === -1 ? undefined : maxTokensDefault,
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
  if (fields.echo === true && readTopLogprobs(fields) !== null)
    throw unsupported("echo", "log probabilities of the prompt (echo together with logprobs) are");
}

/** Number of alternatives per token; null if no log probabilities are requested. xAI's `true` means one. */
function readTopLogprobs({ logprobs }: CompletionRequestBody): number | null {
  if (logprobs == null || logprobs === false) return null;
  return logprobs === true ? 1 : logprobs;
}

/** Maximum number of prompts in one request. */
const promptsMax = 128;

/**
 * Reads one text, several texts, the token ids of one prompt, or the token ids of several prompts.
 * @throws HearthError `invalid_field` that names the first element of another type, `invalid_value` for no prompt or too many.
 */
function parsePrompts(fields: CompletionRequestBody): readonly RawPrompt[] {
  const { prompt, suffix, parse_special: special, truncate_prompt_tokens: lastTokens } = fields;
  if (lastTokens != null && (suffix ?? "") !== "")
    throw invalidValue("truncate_prompt_tokens", "is not allowed together with suffix");
  const each = {
    suffix: suffix == null || suffix === "" ? null : wellFormed(suffix),
    readsControlTokens: special ?? false,
    lastTokens: lastTokens ?? undefined,
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
