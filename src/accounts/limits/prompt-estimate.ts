/**
 * Estimates the tokens of a prompt before a model reads it: with tiktoken, without the model's chat template, or from the
 * number of characters where tokenizing would take too long. The true number is known when the run has ended.
 */
import type { Clock } from "../../core/clock.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";

interface PromptEstimateDeps {
  readonly tokenizer: HostedTokenizer;
  readonly clock: Clock;
}

/** What a model reads of a request that generates nothing. */
export interface PromptParts {
  readonly text: string;
  /** Number of tokens that the request gives as token ids. */
  readonly tokens: number;
}

/** What an estimate is made of: a request, a text, or its parts. */
export type EstimatedPrompt = GenerationRequest | string | PromptParts;

/** Longest time that a request waits for its estimate. */
const waitMsMax = 250;

/** A longer text cannot be tokenized in that time. */
const charactersMax = 262_144;

const charactersPerToken = 4;

/** Creates the function that estimates the tokens of a prompt. It never rejects. */
export function createPromptEstimate({ tokenizer, clock }: PromptEstimateDeps) {
  return async (prompt: EstimatedPrompt): Promise<number> => {
    const { text, tokens } = splitPrompt(prompt);
    const byLength = Math.ceil(text.length / charactersPerToken);
    if (text.length === 0 || text.length > charactersMax) return tokens + byLength;
    const timeout = new AbortController();
    const cancelTimeout = clock.after(waitMsMax, () => timeout.abort());
    try {
      return tokens + (await tokenizer.count(text, timeout.signal));
    } catch {
      return tokens + byLength;
    } finally {
      cancelTimeout();
    }
  };
}

function splitPrompt(prompt: EstimatedPrompt): PromptParts {
  if (typeof prompt === "string") return { text: prompt, tokens: 0 };
  return "messages" in prompt ? partsOfGeneration(prompt) : prompt;
}

/** Returns everything that the model reads. */
function partsOfGeneration({ messages, tools, prefill = "", raw }: GenerationRequest): PromptParts {
  const prompts = raw?.prompts ?? [];
  const texts = [
    ...messages.flatMap(listTexts),
    ...tools.flatMap(({ name, description = "", parameters }) => [
      name,
      description,
      JSON.stringify(parameters),
    ]),
    prefill,
    ...prompts.flatMap(({ prompt, suffix }) => [typeof prompt === "string" ? prompt : "", suffix ?? ""]),
  ];
  const tokens = prompts.reduce(
    (sum, { prompt }) => sum + (typeof prompt === "string" ? 0 : prompt.length),
    0,
  );
  return { text: texts.filter((text) => text !== "").join("\n"), tokens };
}

function listTexts({ content, name = "", reasoning = "", toolCalls = [] }: Message): readonly string[] {
  return [name, reasoning, content, ...toolCalls.flatMap((call) => [call.name, call.arguments])];
}
