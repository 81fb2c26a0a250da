/** Guesses how fast a model decodes on a CPU. */
import type { ModelDetails } from "../library/details.js";

/** The part of the bandwidth of reading alone that decoding reaches (measured). */
const efficiency = 0.8;
/** Time of a token besides reading its weights. */
const tokenMs = 0.5;

/** Returns the bytes of weights that one token reads; null if the file does not say. */
export function bytesPerDecodedToken({ tensors, experts }: ModelDetails): number | null {
  if (tensors === null) return null;
  const table = tensors.hasOutput ? tensors.embeddingBytes : 0;
  const unused = experts === null ? 0 : tensors.expertBytes * (1 - Math.min(1, experts.used / experts.count));
  return tensors.bytes - table - unused;
}

/** Returns the tokens a second of one generation. @param bandwidth in bytes a second */
export function tokensPerSecond(bytesPerToken: number, bandwidth: number): number {
  return 1 / (bytesPerToken / (bandwidth * efficiency) + tokenMs / 1000);
}
