import { encodeHeader, paddingOf, type GgufHeaderSpec } from "./encode.js";
import { ones, randomWeights, seeded, weightTypeOf } from "./weights.js";

/** Writes a file with random matrices, and vectors of ones, piece by piece. */
export function* piecesOf(
  header: GgufHeaderSpec,
  { seed }: { readonly seed: number },
): Generator<Buffer, void, undefined> {
  const random = seeded(seed);
  yield encodeHeader(header);
  for (const { dimensions, type, bytes, isZeroRow } of header.tensors) {
    const elements = dimensions.reduce<number>((product, size) => product * Number(size), 1);
    const [first = 1, rows = 1] = dimensions.map(Number);
    if (dimensions.length === 1) yield ones(elements);
    else {
      const weights = randomWeights(weightTypeOf(type), elements, 1.7 / Math.sqrt(first), random);
      if (isZeroRow === undefined) yield* weights;
      else yield clearRows(Buffer.concat([...weights]), rows, isZeroRow);
    }
    yield Buffer.alloc(paddingOf(bytes));
  }
}

function clearRows(weights: Buffer, rows: number, isZeroRow: (row: number) => boolean): Buffer {
  const rowBytes = weights.length / rows;
  for (let row = 0; row < rows; row += 1)
    if (isZeroRow(row)) weights.fill(0, row * rowBytes, (row + 1) * rowBytes);
  return weights;
}
