import { encodeHeader, paddingOf, type GgufHeaderSpec } from "./encode.js";
import { ones, randomWeights, seeded, weightTypeOf } from "./weights.js";

/** Writes a file with random matrices, and vectors of ones, piece by piece. */
export function* piecesOf(
  header: GgufHeaderSpec,
  { seed }: { readonly seed: number },
): Generator<Buffer, void, undefined> {
  const random = seeded(seed);
  yield encodeHeader(header);
  for (const { dimensions, type, bytes } of header.tensors) {
    const elements = dimensions.reduce<number>((product, size) => product * Number(size), 1);
    if (dimensions.length === 1) yield ones(elements);
    else yield* randomWeights(weightTypeOf(type), elements, 1.7 / Math.sqrt(Number(dimensions[0])), random);
    yield Buffer.alloc(paddingOf(bytes));
  }
}
