/** Arithmetic of vectors. Pure. */

/**
 * Returns the first `length` numbers of a vector, scaled to the Euclidean length 1: vectors of models that are trained for it keep their
 * meaning when their end is cut off. A vector of zeros stays as it is.
 * @param length null = all of it.
 */
export function unitVector(vector: Float32Array, length: number | null): Float32Array {
  const kept = length === null ? vector : vector.subarray(0, length);
  const norm = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? kept : kept.map((value) => value / norm);
}

/** Returns the cosine of the angle between two vectors of length 1. */
export function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
