/** Random weights in the layouts of ggml, reproducible from a seed. */

export type WeightType = "F32" | "F16" | "Q8_0";

export const weightTypeNumbers = { F32: 0, F16: 1, Q8_0: 8 } as const;

/** Returns the type with ggml's number. @throws Error for any other number. */
export function weightTypeOf(number: number): WeightType {
  for (const type of ["F32", "F16", "Q8_0"] as const) if (weightTypeNumbers[type] === number) return type;
  throw new Error(`no type of weights has the number ${number}`);
}

/** Values per Q8_0 block; rows must be a multiple of it. */
const blockElements = 32;
const blockBytes = 34;
/** Larger tensors repeat the values of their first piece, so that files of gigabytes are written in seconds. */
const pieceElements = 256 * 1024;

export function weightBytes(type: WeightType, elements: number): number {
  if (type === "Q8_0") return (elements / blockElements) * blockBytes;
  return elements * (type === "F32" ? 4 : 2);
}

/** Yields the pieces of a tensor with uniform values between -scale and scale. */
export function* randomWeights(
  type: WeightType,
  elements: number,
  scale: number,
  random: () => number,
): Generator<Buffer, void, undefined> {
  const piece = randomPiece(type, Math.min(elements, pieceElements), scale, random);
  for (let left = weightBytes(type, elements); left > 0; left -= piece.length) yield piece.subarray(0, left);
}

/** Returns a tensor of ones, as for norms. */
export function ones(elements: number): Buffer {
  return Buffer.from(new Float32Array(elements).fill(1).buffer);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomPiece(type: WeightType, elements: number, scale: number, random: () => number): Buffer {
  const piece = Buffer.alloc(weightBytes(type, elements));
  if (type === "Q8_0") {
    for (let at = 0; at < piece.length; at += blockBytes) {
      piece.writeUInt16LE(half(scale / 127), at);
      for (let i = 2; i < blockBytes; i += 1) piece.writeInt8(Math.floor(random() * 255) - 127, at + i);
    }
    return piece;
  }
  for (let i = 0; i < elements; i += 1) {
    const value = (random() * 2 - 1) * scale;
    if (type === "F32") piece.writeFloatLE(value, i * 4);
    else piece.writeUInt16LE(half(value), i * 2);
  }
  return piece;
}

/** A number of ordinary size as IEEE half precision, truncated; smaller than 2^-14 becomes 0. */
function half(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size < 2 ** -14) return sign;
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | Math.floor((size / 2 ** exponent - 1) * 1024);
}
