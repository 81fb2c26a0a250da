import { setImmediate } from "node:timers/promises";

/** Numbers that are presented in one turn of the event loop, in some milliseconds. */
const numbersPerTurn = 16_384;

/** Returns the JSON of a list of vectors, which can have millions of numbers; other requests run between its pieces. */
export async function vectorsJson(
  vectors: readonly Float32Array[],
  encode: (vector: Float32Array, index: number) => object,
): Promise<string> {
  const data: string[] = [];
  let numbers = 0;
  for (const [index, vector] of vectors.entries()) {
    data.push(JSON.stringify(encode(vector, index)));
    numbers += vector.length;
    if (numbers < numbersPerTurn) continue;
    numbers = 0;
    await setImmediate();
  }
  return `[${data.join(",")}]`;
}
