/**
 * How many tokens a prompt may be, before any model is touched: by tiktoken, which takes no model's own template into account, or
 * by the number of characters where that takes too long. What it truly was is known when its run is over.
 */
import type { Clock } from "../../core/clock.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";

export interface PromptEstimateDeps {
  readonly tokenizer: Pick<HostedTokenizer, "count">;
  readonly clock: Clock;
}

/** Time that a request waits for its estimate. */
const waitMsMax = 250;

/** A longer text cannot be read in that time. */
const charactersMax = 262_144;

const charactersPerToken = 4;

/** Builds the estimate; it never fails. */
export function createPromptEstimate({ tokenizer, clock }: PromptEstimateDeps) {
  return async (prompt: GenerationRequest | string): Promise<number> => {
    const { text, tokens } = typeof prompt === "string" ? { text: prompt, tokens: 0 } : partsOf(prompt);
    const byLength = Math.ceil(text.length / charactersPerToken);
    if (text.length === 0 || text.length > charactersMax) return tokens + byLength;
    const late = new AbortController();
    const stop = clock.after(waitMsMax, () => late.abort());
    try {
      return tokens + (await tokenizer.count(text, late.signal));
    } catch {
      return tokens + byLength;
    } finally {
      stop();
    }
  };
}

/** All that the model is to read: as text, and what came as tokens already. */
function partsOf({ messages, tools, prefill = "", raw }: GenerationRequest) {
  const prompts = raw?.prompts ?? [];
  const texts = [
    ...messages.flatMap(textsOf),
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

function textsOf({ content, name = "", reasoning = "", toolCalls = [] }: Message): readonly string[] {
  return [name, reasoning, content, ...toolCalls.flatMap((call) => [call.name, call.arguments])];
}
