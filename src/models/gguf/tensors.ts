/**
 * Reads the tensor part of a GGUF header and checks the shape and position of each tensor against the file.
 */
import { GgufRefusal, grouped, quoted } from "./refusal.js";
import type { Source } from "./source.js";

/** The longest name that ggml supports, in bytes. */
const nameBytesMax = 63;
const dimensionsMax = 4;

/** What the tensors of a file have in sum. */
export interface TensorTotals {
  /** Numbers in all tensors, such as 7 billion. */
  readonly parameters: number;
  readonly bytes: number;
  /** Bytes of the experts, of which a token uses some only; 0 in a dense model. */
  readonly expertBytes: number;
  /** Bytes of the tensors that the caller named; 0 where it named none. */
  readonly namedBytes: number;
  /** Bytes of the table of embeddings, of which a token uses one row. */
  readonly embeddingBytes: number;
  /** Whether the output has a tensor of its own; without one, it is the table of embeddings. */
  readonly hasOutput: boolean;
}

interface Tensor {
  readonly name: string;
  readonly elements: number;
  readonly bytes: number;
  /** Relative to the start of the data. */
  readonly offset: number;
}

/** What of the tensors of a file is read. */
interface TensorPart {
  readonly count: number;
  /** In bytes. */
  readonly alignment: number;
  /** Patterns of names whose bytes are counted apart. */
  readonly named: readonly RegExp[];
}

/**
 * Reads `count` tensor descriptions and checks that every tensor lies inside the file. @throws GgufRefusal
 * with the tensor's name
 */
export async function readTensors(
  source: Source,
  { count, alignment, named }: TensorPart,
): Promise<TensorTotals> {
  const names = new Set<string>();
  const tensors: Tensor[] = [];
  for (let i = 0; i < count; i += 1) {
    const tensor = await readTensor(source, i);
    if (names.has(tensor.name)) throw new GgufRefusal(`it holds two tensors named ${quoted(tensor.name)}.`);
    names.add(tensor.name);
    tensors.push(tensor);
  }
  checkPlaces(tensors, aligned(source.position, alignment), alignment, source.bytes);
  return sumTensors(tensors, named);
}

function sumTensors(tensors: readonly Tensor[], named: readonly RegExp[]): TensorTotals {
  const sum = (of: (tensor: Tensor) => number): number =>
    tensors.reduce((total, each) => total + of(each), 0);
  const sumBytes = (pattern: RegExp): number => sum(({ name, bytes }) => (pattern.test(name) ? bytes : 0));
  return {
    parameters: sum(({ elements }) => elements),
    bytes: sum(({ bytes }) => bytes),
    expertBytes: sumBytes(/_exps\.(weight|bias)$/),
    namedBytes: sum(({ name, bytes }) => (named.some((pattern) => pattern.test(name)) ? bytes : 0)),
    embeddingBytes: sumBytes(/^token_embd\.weight$/),
    hasOutput: tensors.some(({ name }) => name === "output.weight"),
  };
}

async function readTensor(source: Source, index: number): Promise<Tensor> {
  await source.fill(8);
  const length = source.u64();
  if (length === 0 || length > nameBytesMax)
    throw new GgufRefusal(
      `tensor ${index} has a name of ${grouped(length)} bytes, where 1 to ${nameBytesMax} are allowed.`,
    );
  const name = await source.text(length);
  await source.fill(4);
  const dimensionCount = source.u32();
  if (dimensionCount < 1 || dimensionCount > dimensionsMax)
    throw new GgufRefusal(
      `tensor ${quoted(name)} has ${grouped(dimensionCount)} dimensions, where 1 to 4 are allowed.`,
    );
  await source.fill(dimensionCount * 8 + 12);
  const dimensions = Array.from({ length: dimensionCount }, () => source.u64());
  const type = source.u32();
  const { elements, bytes } = measureTensor(name, dimensions, type);
  if (!suits(name, dimensionCount, type))
    throw new GgufRefusal(`tensor ${quoted(name)} has a type (${type}) that llama.cpp cannot compute with.`);
  return { name, elements, bytes, offset: source.u64() };
}

/** Returns whether llama.cpp can compute with this tensor; otherwise it would abort or misbehave. */
function suits(name: string, dimensionCount: number, type: number): boolean {
  if (dimensionCount === 1 && /norm\.weight$|\.bias$/.test(name)) return type === plainType;
  return !workingTypes.has(type) && (!integerTypes.has(type) || /d2t|tid2eid/.test(name));
}

function measureTensor(
  name: string,
  dimensions: readonly number[],
  type: number,
): { readonly elements: number; readonly bytes: number } {
  const layout = tensorTypes.get(type);
  if (layout === undefined) throw new GgufRefusal(`tensor ${quoted(name)} has the unknown type ${type}.`);
  const elements = dimensions.reduce((product, size) => product * size, 1);
  if (elements < 1 || elements > Number.MAX_SAFE_INTEGER)
    throw new GgufRefusal(
      `tensor ${quoted(name)} has the impossible shape ${dimensions.map(grouped).join(" x ")}.`,
    );
  if ((dimensions[0] ?? 0) % layout.elements !== 0)
    throw new GgufRefusal(
      `tensor ${quoted(name)} has rows that are no multiple of its block of ${layout.elements}.`,
    );
  return { elements, bytes: (elements / layout.elements) * layout.bytes };
}

/**
 * Checks that tensors follow each other without gaps or overlaps, as llama.cpp requires, and end inside the
 * file.
 */
function checkPlaces(
  tensors: readonly Tensor[],
  dataStart: number,
  alignment: number,
  fileBytes: number,
): void {
  let expected = 0;
  for (const { name, bytes, offset } of tensors) {
    const end = dataStart + offset + bytes;
    if (end > fileBytes)
      throw new GgufRefusal(
        `tensor ${quoted(name)} ends at byte ${grouped(end)}, the file has ${grouped(fileBytes)}: it is truncated.`,
      );
    if (offset !== expected)
      throw new GgufRefusal(
        `tensor ${quoted(name)} starts at byte ${grouped(offset)} of the data, expected byte ${grouped(expected)}.`,
      );
    expected = aligned(offset + bytes, alignment);
  }
}

function aligned(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** The storage layout of a ggml tensor type: `elements` values take `bytes` bytes. */
interface TensorType {
  readonly elements: number;
  readonly bytes: number;
}

/** F32, the type that llama.cpp requires for norms and biases. */
const plainType = 0;
/** Q8_1, Q8_K, I8, I16, F64: internal working types, on which the engine aborts if they come from a file. */
const workingTypes: ReadonlySet<number> = new Set([9, 15, 24, 25, 28]);
/** I32, I64: for tables of ids, not for weights. */
const integerTypes: ReadonlySet<number> = new Set([26, 27]);

/** Every type that llama.cpp reads, by its number in the file (ggml.h and gguf-py's GGML_QUANT_SIZES). */
const tensorTypes: ReadonlyMap<number, TensorType> = new Map(
  (
    [
      [0, 1, 4], // F32
      [1, 1, 2], // F16
      [2, 32, 18], // Q4_0
      [3, 32, 20], // Q4_1
      [6, 32, 22], // Q5_0
      [7, 32, 24], // Q5_1
      [8, 32, 34], // Q8_0
      [9, 32, 40], // Q8_1
      [10, 256, 84], // Q2_K
      [11, 256, 110], // Q3_K
      [12, 256, 144], // Q4_K
      [13, 256, 176], // Q5_K
      [14, 256, 210], // Q6_K
      [15, 256, 292], // Q8_K
      [16, 256, 66], // IQ2_XXS
      [17, 256, 74], // IQ2_XS
      [18, 256, 98], // IQ3_XXS
      [19, 256, 50], // IQ1_S
      [20, 32, 18], // IQ4_NL
      [21, 256, 110], // IQ3_S
      [22, 256, 82], // IQ2_S
      [23, 256, 136], // IQ4_XS
      [24, 1, 1], // I8
      [25, 1, 2], // I16
      [26, 1, 4], // I32
      [27, 1, 8], // I64
      [28, 1, 8], // F64
      [29, 256, 56], // IQ1_M
      [30, 1, 2], // BF16
      [34, 256, 54], // TQ1_0
      [35, 256, 66], // TQ2_0
      [39, 32, 17], // MXFP4
      [40, 64, 36], // NVFP4
      [41, 128, 18], // Q1_0
      [42, 64, 18], // Q2_0
    ] as const
  ).map(([type, elements, bytes]) => [type, { elements, bytes }]),
);
