/** The tokens of a text on their way between threads: three flat arrays, because a hundred thousand objects take long to copy. */
import type { TextToken } from "../core/engine.js";

export interface PackedTokens {
  readonly ids: Uint32Array;
  /** Of all tokens, one after the other. */
  readonly bytes: Uint8Array;
  /** Where in `bytes` each token ends. */
  readonly ends: Uint32Array;
}

/** Packs tokens, whose bytes are asked for one by one. */
export function packTokens(ids: readonly number[], bytesOf: (id: number) => Uint8Array): PackedTokens {
  const pieces = ids.map(bytesOf);
  let end = 0;
  const ends = Uint32Array.from(pieces, (piece) => (end += piece.length));
  return { ids: Uint32Array.from(ids), bytes: Uint8Array.from(Buffer.concat(pieces)), ends };
}

/** The tokens that were packed. */
export function unpackTokens({ ids, bytes, ends }: PackedTokens): readonly TextToken[] {
  return Array.from(ids, (id, at) => ({ id, bytes: [...bytes.subarray(ends[at - 1] ?? 0, ends[at])] }));
}
