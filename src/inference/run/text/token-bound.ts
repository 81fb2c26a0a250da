/** What bounds the tokens of a request: how long a model may reason, and the most that its prompts and answers can have. */
import type { Prompt } from "../../../core/engine.js";
import type { GenerationRequest, ReasoningEffort } from "../../../core/generation.js";
import type { Model } from "../../../core/model.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import type { UsageBound } from "../../../core/usage.js";

/** Tokens around a block of reasoning, which no bound counts. */
const reasoningMarkTokensMax = 64;

/**
 * Returns the tokens after which reasoning is ended; null when there is no limit.
 * @param unstatedMax the limit of a request that states neither an effort nor a budget; the model's own one takes precedence.
 */
export function limitReasoning(
  { reasoningTokensMax, reasoningEffort, raw }: GenerationRequest,
  { manifest }: Model,
  unstatedMax: number,
): number | null {
  if (reasoningTokensMax !== undefined) return reasoningTokensMax;
  if (reasoningEffort !== "default") return limitByEffort[reasoningEffort];
  // A raw prompt has no reasoning block that could be ended.
  const reasons = manifest.capabilities.reasoning && raw === undefined;
  return reasons ? (manifest.reasoningTokensMax ?? unstatedMax) : null;
}

const limitByEffort: Readonly<Record<Exclude<ReasoningEffort, "default">, number | null>> = {
  none: 0,
  low: 1024,
  medium: 8192,
  high: null,
};

/** What bounds the tokens of one answer besides its request. */
interface AnswerBounds {
  /** Whether the model can reason. */
  readonly reasons: boolean;
  /** See `limitReasoning`. */
  readonly reasoningTokensMax: number | null;
  /** Tokens that one slot holds. */
  readonly contextTokens: number;
}

/** Returns the most tokens that a request can use. */
export function boundTokens(
  request: GenerationRequest,
  prompts: readonly Prompt[],
  bounds: AnswerBounds,
): UsageBound {
  const choicesPerPrompt = request.choices / prompts.length;
  const answerTokens = answerTokensMax(request, bounds);
  const sampled = prompts.map(
    (prompt) => choicesPerPrompt * Math.min(answerTokens, bounds.contextTokens - countPromptTokens(prompt)),
  );
  return { prompt: boundPromptTokens(prompts), sampled: sum(sampled) };
}

/** Returns the most tokens that prompts can have. */
export function boundPromptTokens(prompts: readonly Prompt[]): number {
  return sum(prompts.map((prompt) => prompt.tokensMax ?? countPromptTokens(prompt)));
}

/** Returns the most tokens that one choice samples in a context that is large enough. */
function answerTokensMax(request: GenerationRequest, { reasons, reasoningTokensMax }: AnswerBounds): number {
  const { maxTokens, maxTokensExcludesReasoning } = request;
  if (maxTokens === null) return Infinity;
  if (!maxTokensExcludesReasoning || !reasons) return maxTokens;
  return maxTokens + (reasoningTokensMax ?? Infinity) + reasoningMarkTokensMax;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
