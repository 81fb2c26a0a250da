/** The tokens of a text, packed to be sent between threads: three flat arrays, because copying a hundred thousand objects is slow. */
import type { TextTokens } from "../../core/engine.js";

export interface PackedTokens {
  readonly ids: Uint32Array;
  /** The bytes of all tokens, concatenated. */
  readonly bytes: Uint8Array;
  /** The end offset of each token in `bytes`. */
  readonly ends: Uint32Array;
}

/** Packs tokens. @param readBytes returns the bytes of one token. */
export function packTokens(ids: readonly number[], readBytes: (id: number) => Uint8Array): PackedTokens {
  const pieces = ids.map(readBytes);
  let end = 0;
  const ends = Uint32Array.from(pieces, (piece) => (end += piece.length));
  return { ids: Uint32Array.from(ids), bytes: Uint8Array.from(Buffer.concat(pieces)), ends };
}

/** Returns the tokens that were packed. Each is unpacked when it is read, since all at once would take long. */
export function unpackTokens({ ids, bytes, ends }: PackedTokens): TextTokens {
  return {
    length: ids.length,
    *[Symbol.iterator]() {
      for (const [at, id] of ids.entries())
        yield { id, bytes: [...bytes.subarray(ends[at - 1] ?? 0, ends[at])] };
    },
  };
}
