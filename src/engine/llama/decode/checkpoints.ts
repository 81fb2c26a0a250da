/**
 * Checkpoints of sequences whose state cannot be truncated: the state of a recurrent or hybrid model after some tokens. They make the
 * beginning of a prompt reusable for the next turn of a conversation.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";

/** Tokens at the end of a prompt that the next turn may lack: what the template writes before an answer. */
const openingTokensMax = 16;

/** The library's list of checkpoints, which it does not publish. */
interface WithCheckpoints {
  readonly _checkpoints: {
    readonly _checkpoints: readonly (readonly [unknown, { readonly maxPos: number }])[];
  };
}

/** Returns how many of the first `tokens` tokens of a sequence can be kept when the others are removed. */
export function keptTokens(sequence: LlamaContextSequence, tokens: number): number {
  if (!sequence.needsCheckpoints || tokens >= sequence.nextTokenIndex) return tokens;
  const { _checkpoints: taken } = (sequence as unknown as WithCheckpoints)._checkpoints;
  const ends = taken.map(([, { maxPos }]) => maxPos + 1);
  return Math.max(0, ...ends.filter((end) => end <= tokens));
}

/** Returns how many prompt tokens to evaluate next, of those that are left: up to `budget`, but a checkpoint is taken before the last few. */
export function tokensToEvaluate(sequence: LlamaContextSequence, left: number, budget: number): number {
  const most = Math.min(left, budget);
  const isLast = left > openingTokensMax && left - most < openingTokensMax;
  return sequence.needsCheckpoints && isLast ? left - openingTokensMax : most;
}

/** Evaluates prompt tokens. @param left tokens of the prompt that follow them */
export async function evaluatePart(
  sequence: LlamaContextSequence,
  tokens: Token[],
  left: number,
): Promise<void> {
  await sequence.evaluateWithoutGeneratingNewTokens(tokens);
  if (left === openingTokensMax) await sequence.takeCheckpoint();
}
