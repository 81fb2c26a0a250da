/** Enough digits to read back the same 32-bit float. */
const digitsOfFloat = 9;

/** Returns numbers with as many digits as a 32-bit float has: half as long as a float's own digits in 64 bits. */
export function toShortNumbers(vector: Float32Array): readonly number[] {
  return Array.from(vector, (value) => Number(value.toPrecision(digitsOfFloat)));
}
