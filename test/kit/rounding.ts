/**
 * Comparing what two evaluations of one prompt gave. Only `deterministic` requests have equal bytes: elsewhere a batch of
 * another make-up, or a prefix that was evaluated in other pieces, rounds otherwise, and where two tokens are about as likely
 * either may be drawn. So log probabilities are compared, up to the first token that differs.
 */
import type OpenAI from "openai";
import { expect } from "vitest";
import type { SampledLogprob, TokenLogprob } from "../../src/core/generation.js";

/**
 * Nats by which a log probability may differ between two evaluations of one prompt. The prebuilt libraries of all CPU generations
 * stay below a fifth of it; a prefix that is wrong by one token is at five times as much.
 */
export const roundingNats = 0.05;

/** Expects the same log probabilities up to rounding, of answers that are not empty. */
export function expectSameUpToRounding(
  one: readonly SampledLogprob[],
  other: readonly SampledLogprob[],
): void {
  expect(Math.min(one.length, other.length)).toBeGreaterThan(0);
  expect(distance(one, other)).toBeLessThan(roundingNats);
}

/**
 * The greatest difference, in nats, up to and including the first place where the two took different tokens; Infinity where one
 * took a token that is not among the likeliest of the other, or goes on where the other has ended.
 */
export function distance(one: readonly SampledLogprob[], other: readonly SampledLogprob[]): number {
  let greatest = 0;
  for (const [at, left] of one.entries()) {
    const right = other[at];
    if (right === undefined) return Infinity;
    greatest = Math.max(greatest, differenceOf(left, right));
    if (nameOf(left) !== nameOf(right)) return greatest;
  }
  return one.length === other.length ? greatest : Infinity;
}

/** The log probabilities of a chat completion, in the shape of the engine's. */
export function sampledOf(tokens: OpenAI.Chat.Completions.ChatCompletionTokenLogprob[] | null) {
  return (tokens ?? []).map(({ token: text, bytes, logprob, top_logprobs: top }): SampledLogprob => {
    const alternatives = top.map((each) => ({
      text: each.token,
      bytes: each.bytes ?? [],
      logprob: each.logprob,
    }));
    return { text, bytes: bytes ?? [], logprob, top: alternatives };
  });
}

/** Differences of the sampled tokens and of the likeliest ones, rank by rank: a rank's value moves no further than any single token's. */
function differenceOf(left: SampledLogprob, right: SampledLogprob): number {
  const ranks = left.top.map(({ logprob }, rank) =>
    Math.abs(logprob - (right.top[rank]?.logprob ?? -Infinity)),
  );
  return Math.max(...ranks, shift(left, right.top), shift(right, left.top));
}

/** How much more or less likely a sampled token is in the other evaluation. */
function shift(sampled: TokenLogprob, top: readonly TokenLogprob[]): number {
  const same = top.find((token) => nameOf(token) === nameOf(sampled));
  return same === undefined ? Infinity : Math.abs(sampled.logprob - same.logprob);
}

function nameOf({ text, bytes }: TokenLogprob): string {
  return `${text} ${bytes.join(",")}`;
}
