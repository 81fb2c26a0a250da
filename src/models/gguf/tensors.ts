/**
 * Reads the tensor part of a GGUF header and checks the shape and position of each tensor against the file.
 */
import { GgufRefusal, grouped, quoted } from "./refusal.js";
import type { Source } from "./source.js";
import { integerTypes, plainType, tensorTypes, workingTypes } from "./tensor-types.js";

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
