/** Encodes GGUF headers from metadata and tensor descriptions, including invalid ones. */

const typeNumbers = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  u64: 10,
  f64: 12,
} as const;
const arrayType = 9;

type ScalarType = keyof typeof typeNumbers;
type Scalar = string | number | boolean | bigint;

/** A metadata value: one scalar, an array of one type, or bytes to write unchanged (including the type number). */
export type GgufEntryValue =
  | { readonly type: ScalarType; readonly value: Scalar }
  | { readonly aggregateArrays: ScalarType; readonly values: readonly Scalar[] }
  | { readonly raw: Uint8Array };

export interface GgufTensor {
  readonly name: string;
  /** Fastest dimension first, as ggml writes them. */
  readonly dimensions: readonly (number | bigint)[];
  /** ggml's type number. */
  readonly type: number;
  readonly bytes: number;
  /** Rows that are zero instead of random; absent: none. */
  readonly isZeroRow?: (row: number) => boolean;
  /** Offset of its data in the header; absent: the true one. */
  readonly offset?: number | bigint;
}

export interface GgufHeaderSpec {
  readonly version?: number;
  readonly metadata: ReadonlyMap<string, GgufEntryValue>;
  readonly tensors: readonly GgufTensor[];
  /** False counts to write instead of the true ones. */
  readonly claims?: { readonly tensors?: bigint; readonly metadata?: bigint };
}

/** Alignment of tensor data. */
const alignment = 32;

/** Encodes the header with its padding; tensor data follows directly. */
export function encodeHeader(spec: GgufHeaderSpec): Buffer {
  const parts = [
    Buffer.from("GGUF"),
    u32(spec.version ?? 3),
    u64(spec.claims?.tensors ?? BigInt(spec.tensors.length)),
    u64(spec.claims?.metadata ?? BigInt(spec.metadata.size)),
  ];
  for (const [key, value] of spec.metadata) parts.push(encodeString(key), encodeEntry(value));
  let offset = 0;
  for (const tensor of spec.tensors) {
    parts.push(encodeString(tensor.name), u32(tensor.dimensions.length));
    for (const size of tensor.dimensions) parts.push(u64(BigInt(size)));
    parts.push(u32(tensor.type), u64(BigInt(tensor.offset ?? offset)));
    offset += tensor.bytes + paddingOf(tensor.bytes);
  }
  const header = Buffer.concat(parts);
  return Buffer.concat([header, Buffer.alloc(paddingOf(header.length))]);
}

/** Returns the padding to the next aligned offset. */
export function paddingOf(bytes: number): number {
  return (alignment - (bytes % alignment)) % alignment;
}

export function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

export function u64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
}

function encodeEntry(entry: GgufEntryValue): Buffer {
  if ("raw" in entry) return Buffer.from(entry.raw);
  if ("type" in entry)
    return Buffer.concat([u32(typeNumbers[entry.type]), encodeScalar(entry.type, entry.value)]);
  const values = entry.values.map((value) => encodeScalar(entry.aggregateArrays, value));
  return Buffer.concat([
    u32(arrayType),
    u32(typeNumbers[entry.aggregateArrays]),
    u64(BigInt(values.length)),
    ...values,
  ]);
}

function encodeScalar(type: ScalarType, value: Scalar): Buffer {
  if (type === "string") return encodeString(String(value));
  if (type === "u64") return u64(BigInt(value));
  const buffer = Buffer.alloc(
    { u8: 1, i8: 1, bool: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, f64: 8 }[type],
  );
  const number = Number(value);
  if (type === "f32") buffer.writeFloatLE(number);
  else if (type === "f64") buffer.writeDoubleLE(number);
  else if (type.startsWith("i")) buffer.writeIntLE(number, 0, buffer.length);
  else buffer.writeUIntLE(number, 0, buffer.length);
  return buffer;
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([u64(BigInt(bytes.length)), bytes]);
}
