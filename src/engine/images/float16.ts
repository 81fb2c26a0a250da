/** Converts 16-bit floats (IEEE 754 binary16), which half-precision exports use. Node 20 has no array type for them. */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Converts to the nearest 16-bit floats, ties to even. */
export function toHalves(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, toHalf);
}

/** Converts exactly. */
export function fromHalves(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, fromHalf);
}

function toHalf(value: number): number {
  float[0] = value;
  const all = bits[0] ?? 0;
  const sign = (all >>> 16) & 0x8000;
  const magnitude = all & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 and beyond round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Subnormal: a whole number of 2^-24.
    return sign | roundToEven(Math.abs(value) * 2 ** 24);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

function fromHalf(half: number): number {
  const sign = (half & 0x8000) === 0 ? 1 : -1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function roundToEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
