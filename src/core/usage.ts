import type { CountedTokens } from "./requests/counted-tokens.js";
import type { AnswerEvent } from "./tools/server-call.js";

/** Tokens of one run. `promptTokens` includes cached and image tokens; `completionTokens` excludes reasoning. */
export interface Usage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly imageTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Generated images; absent = none. */
  readonly images?: number | undefined;
  /** Calls that the server executed; absent = none. */
  readonly serverCalls?: number | undefined;
  /** What their runs were charged, in ticks, which is not part of the run's own cost; absent = 0. */
  readonly serverCallTicks?: number | undefined;
}

export const noUsage: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  imageTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/**
 * Returns the usage of a run after the end of an answer whose tokens its server has counted.
 * @param estimated what the events of the answer have added
 */
export function corrected(usage: Usage, estimated: Usage, counted: CountedTokens): Usage {
  // The prompt of several answers counts once.
  const hasPrompt = estimated.promptTokens > 0;
  const promptTokens = hasPrompt ? counted.promptTokens - estimated.promptTokens : 0;
  const cachedTokens = hasPrompt ? counted.cachedTokens - estimated.cachedTokens : 0;
  return {
    ...usage,
    promptTokens: usage.promptTokens + promptTokens,
    cachedTokens: usage.cachedTokens + cachedTokens,
    completionTokens: usage.completionTokens + counted.completionTokens - estimated.completionTokens,
    reasoningTokens: usage.reasoningTokens + counted.reasoningTokens - estimated.reasoningTokens,
  };
}

/** Returns the usage after one more event. Usage is a fold of the event stream, also of a stream that was aborted. */
export function addEvent(usage: Usage, event: AnswerEvent): Usage {
  switch (event.type) {
    case "generation-start":
      return {
        ...usage,
        promptTokens: usage.promptTokens + event.promptTokens,
        cachedTokens: usage.cachedTokens + event.cachedTokens,
        imageTokens: usage.imageTokens + (event.imageTokens ?? 0),
      };
    case "text-delta":
    case "tool-call-start":
    case "tool-call-delta":
    case "tool-call-end":
      return { ...usage, completionTokens: usage.completionTokens + event.tokens };
    case "reasoning-delta":
      return { ...usage, reasoningTokens: usage.reasoningTokens + event.tokens };
    case "server-call-end":
      return {
        ...usage,
        serverCalls: (usage.serverCalls ?? 0) + 1,
        serverCallTicks: (usage.serverCallTicks ?? 0) + event.result.costTicks,
      };
    case "server-call-start":
    case "conversation-compacted":
    case "generation-end":
      return usage;
  }
}
