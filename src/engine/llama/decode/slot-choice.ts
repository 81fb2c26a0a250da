/**
 * Chooses the slot of a job. llama.cpp divides a batch whose sequences are not consecutive, and computes the parts one after the other:
 * four generations scattered over the slots decode half as fast as four neighbours. Pure.
 */

/** A slot at its index, as seen by one job. */
export interface SlotState {
  readonly busy: boolean;
  /** Whether its KV cache holds no tokens. */
  readonly empty: boolean;
  /** Tick of the last use. */
  readonly lastUsed: number;
  /** Tokens of the job's prompt that its KV cache holds. */
  readonly sharedTokens: number;
  /** Whether a job of the same team with the same cache key used it last. */
  readonly sameKey: boolean;
}

/** A shared prefix of this many tokens takes longer to evaluate again than a divided batch costs in a usual answer. */
const worthDividingTokens = 64;

/**
 * Returns the index of the best free slot; null when none is free. Best is a slot with a long shared prefix, the longest first; then one
 * next to busy slots; then one with any shared prefix; then an empty one; then one of the same cache key, so that a new prompt overwrites
 * the tokens of its own key rather than the tokens of another conversation; then the least recently used one.
 */
export function bestSlot(slots: readonly SlotState[]): number | null {
  let best: number | null = null;
  let bestRank: readonly number[] = [];
  for (const [id, { busy, empty, lastUsed, sharedTokens, sameKey }] of slots.entries()) {
    if (busy) continue;
    const long = sharedTokens >= worthDividingTokens ? sharedTokens : 0;
    const neighbours = busyNeighbours(slots, id);
    const rank = [long, neighbours, sharedTokens, empty ? 1 : 0, sameKey ? 1 : 0, -lastUsed, -id];
    if (best !== null && compare(rank, bestRank) <= 0) continue;
    best = id;
    bestRank = rank;
  }
  return best;
}

function busyNeighbours(slots: readonly SlotState[], id: number): number {
  return [slots[id - 1], slots[id + 1]].filter((slot) => slot?.busy === true).length;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
