import type { GenerationStart } from "./generation.js";
import type { CountedTokens } from "./requests/counted-tokens.js";
import type { AnswerEvent } from "./tools/server-call.js";

/** Tokens of one run. `promptTokens` includes cached, image and audio tokens; `completionTokens` excludes reasoning. */
export interface Usage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly imageTokens: number;
  /** Not stored with the run; absent = 0. */
  readonly audioTokens?: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** Generated images; absent = none. */
  readonly images?: number;
  /** Calls that the server executed; absent = none. */
  readonly serverCalls?: number;
  /** What their runs were charged, in ticks, which is not part of the run's own cost; absent = 0. */
  readonly serverCallTicks?: number;
  /** What the run is charged, with the runs of its server calls; absent while the run has not ended. */
  readonly chargedTicks?: number;
}

/** The most that a run may use: what is reserved for it. */
export interface UsageBound {
  readonly prompt: number;
  /** Completion and reasoning. */
  readonly sampled: number;
  /** Absent = none. */
  readonly images?: number;
}

export const noUsage: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  imageTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/** Returns a usage that is nowhere above its bound. */
export function limitUsage(usage: Usage, { prompt, sampled, images = 0 }: UsageBound): Usage {
  const promptTokens = Math.min(usage.promptTokens, prompt);
  const reasoningTokens = Math.min(usage.reasoningTokens, sampled);
  return {
    ...usage,
    promptTokens,
    cachedTokens: Math.min(usage.cachedTokens, promptTokens),
    imageTokens: Math.min(usage.imageTokens, promptTokens),
    audioTokens: atMost(usage.audioTokens, promptTokens),
    reasoningTokens,
    completionTokens: Math.min(usage.completionTokens, sampled - reasoningTokens),
    images: atMost(usage.images, images),
  };
}

function atMost(count: number | undefined, max: number): number | undefined {
  return count === undefined ? undefined : Math.min(count, max);
}

/** UTF-8; no known vocabulary has longer tokens. */
const bytesPerTokenMax = 128;
/** What estimates assume. */
const bytesPerTokenEstimated = 4;

/**
 * Returns the tokens that a server has counted, with the estimate in place of a number that its text cannot have: so few that they
 * would be longer than the tokens of any vocabulary.
 */
export function replaceImplausible(counted: CountedTokens, estimated: Usage): CountedTokens {
  const isTooFew = (tokens: number, estimate: number): boolean =>
    tokens * bytesPerTokenMax < (estimate - 1) * bytesPerTokenEstimated || (tokens === 0 && estimate > 0);
  const sampled = counted.completionTokens + counted.reasoningTokens;
  const hasFewPrompt = isTooFew(counted.promptTokens, estimated.promptTokens);
  const hasFewSampled = isTooFew(sampled, estimated.completionTokens + estimated.reasoningTokens);
  const { promptTokens, cachedTokens } = hasFewPrompt ? estimated : counted;
  const { completionTokens, reasoningTokens } = hasFewSampled ? estimated : counted;
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens };
}

/**
 * Returns the usage of a run after the end of an answer whose tokens its server has counted.
 * @param estimated what the events of the answer have added
 */
export function correctUsage(usage: Usage, estimated: Usage, counted: CountedTokens): Usage {
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

/**
 * Returns the usage of a run whose prompt was evaluated in part only.
 * @param own what the answer has added: nothing of the prompt where another answer to it has.
 */
export function cutPrompt(usage: Usage, own: Usage, evaluatedTokens: number): Usage {
  if (own.promptTokens <= evaluatedTokens) return usage;
  const promptTokens = usage.promptTokens - own.promptTokens + evaluatedTokens;
  return {
    ...usage,
    promptTokens,
    imageTokens: Math.min(usage.imageTokens, promptTokens),
    audioTokens: atMost(usage.audioTokens, promptTokens),
  };
}

/** Returns the tokens that a model has written. */
export function countSampled({ completionTokens, reasoningTokens }: Usage): number {
  return completionTokens + reasoningTokens;
}

/** Returns the usage after one more event. Usage is a fold of the event stream, also of a stream that was aborted. */
export function addEvent(usage: Usage, event: AnswerEvent): Usage {
  switch (event.type) {
    case "generation-start":
      return addStart(usage, event);
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

function addStart(usage: Usage, start: GenerationStart): Usage {
  const counted = {
    ...usage,
    promptTokens: usage.promptTokens + start.promptTokens,
    cachedTokens: usage.cachedTokens + start.cachedTokens,
    imageTokens: usage.imageTokens + (start.imageTokens ?? 0),
  };
  const { audioTokens } = start;
  return audioTokens === undefined
    ? counted
    : { ...counted, audioTokens: (usage.audioTokens ?? 0) + audioTokens };
}
