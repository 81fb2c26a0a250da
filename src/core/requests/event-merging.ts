import type { EngineEvent, TextDelta, ToolCallDelta } from "../generation.js";

/**
 * Events of one run that may wait for a slow reader. Deltas merge, so that each is a part of an answer: the events of 128 answers with
 * 32 calls of three parts fit.
 */
export const waitingEventsMax = 16_384;

/**
 * Merges consecutive deltas of the same part of an answer, so that a slow reader receives larger deltas and loses no text. Each
 * choice is a group of its own, so that interleaved choices are merged, too.
 */
export const eventMerging = {
  findGroup: (event: EngineEvent): number | null => (event.type === "generation-start" ? null : event.choice),
  merge: mergeEvents,
};

/** See `eventMerging`. */
export function mergeEvents(last: EngineEvent, next: EngineEvent): TextDelta | ToolCallDelta | null {
  if (last.type === "tool-call-delta") {
    if (next.type !== last.type || next.choice !== last.choice || next.index !== last.index) return null;
    return { ...last, arguments: last.arguments + next.arguments, tokens: last.tokens + next.tokens };
  }
  if (last.type !== "text-delta" && last.type !== "reasoning-delta") return null;
  if (next.type !== last.type || next.choice !== last.choice) return null;
  const logprobs = [...(last.logprobs ?? []), ...(next.logprobs ?? [])];
  const { type, choice } = last;
  const merged = { type, choice, text: last.text + next.text, tokens: last.tokens + next.tokens };
  return logprobs.length === 0 ? merged : { ...merged, logprobs };
}
