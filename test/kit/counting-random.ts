import type { Random } from "../../src/core/random.js";

/** Ids that count up, so that answers can be compared with transcripts. */
export function countingRandom(): Random {
  let count = 0;
  const next = (): string => `0193a1c2-5d7e-7c40-9b1f-${String(++count).padStart(12, "0")}`;
  return { id: next, bytes: (size) => new Uint8Array(size).fill(7) };
}
