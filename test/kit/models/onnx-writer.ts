/** Writes small ONNX models (opset 14) as protocol buffers. */
import { writeFileSync } from "node:fs";

/** Numbers of ONNX's TensorProto.DataType. */
const dataTypes = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10 } as const;

export type ElementType = keyof typeof dataTypes;

/** An input or output; a variable dimension has a name instead of a number. */
export interface ValueInfo {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string)[];
}

/** A constant; float16 values are given as their bits. */
export interface Constant {
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly values: readonly number[];
  /** External file with its bytes, in the folder of the model. */
  readonly external?: { readonly file: string; readonly offset: number };
}

export type Attribute = number | string | readonly number[] | { readonly float: number };

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface OnnxGraph {
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  readonly constants: Readonly<Record<string, Constant>>;
  readonly nodes: readonly OnnxNode[];
}

const irVersion = 7;
const opset = 14;

/** Encodes a model. */
function onnxModel(graph: OnnxGraph): Buffer {
  return message([
    [1, irVersion],
    [7, graphProto(graph)],
    [
      8,
      message([
        [1, ""],
        [2, opset],
      ]),
    ],
  ]);
}

export function writeOnnx(file: string, graph: OnnxGraph): void {
  writeFileSync(file, onnxModel(graph));
}

/** A constant of 32-bit floats. */
export function floats(shape: readonly number[], values: readonly number[]): Constant {
  return { type: "float32", shape, values };
}

/** A constant of 64-bit integers. */
export function integers(values: readonly number[], shape: readonly number[] = [values.length]): Constant {
  return { type: "int64", shape, values };
}

export type Field = readonly [number, number | string | Buffer | { readonly float: number }];

function graphProto({ inputs, outputs, constants, nodes }: OnnxGraph): Buffer {
  return message([
    ...nodes.map((node): Field => [1, nodeProto(node)]),
    [2, "graph"],
    ...Object.entries(constants).map(([name, constant]): Field => [5, tensorProto(name, constant)]),
    ...inputs.map((info): Field => [11, valueInfoProto(info)]),
    ...outputs.map((info): Field => [12, valueInfoProto(info)]),
  ]);
}

function nodeProto({ op, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return message([
    ...inputs.map((name): Field => [1, name]),
    ...outputs.map((name): Field => [2, name]),
    [4, op],
    ...Object.entries(attributes).map(([name, value]): Field => [5, attributeProto(name, value)]),
  ]);
}

function attributeProto(name: string, value: Attribute): Buffer {
  const told: readonly Field[] =
    typeof value === "number"
      ? [
          [3, value],
          [20, 2],
        ]
      : typeof value === "string"
        ? [
            [4, value],
            [20, 3],
          ]
        : "float" in value
          ? [
              [2, value],
              [20, 1],
            ]
          : [...value.map((each): Field => [8, each]), [20, 7]];
  return message([[1, name], ...told]);
}

function tensorProto(name: string, { type, shape, values, external }: Constant): Buffer {
  const bytes = elements(type, values);
  const entry = (key: string, value: string | number): Field => [
    13,
    message([
      [1, key],
      [2, String(value)],
    ]),
  ];
  return message([
    ...shape.map((size): Field => [1, size]),
    [2, dataTypes[type]],
    [8, name],
    ...(external === undefined
      ? [[9, bytes] as const]
      : [
          entry("location", external.file),
          entry("offset", external.offset),
          entry("length", bytes.length),
          [14, 1] as const,
        ]),
  ]);
}

/** Encodes numbers as the bytes of a tensor. */
export function elements(type: ElementType, values: readonly number[]): Buffer {
  const view = (array: Float32Array | Int32Array | BigInt64Array | Uint16Array | Uint8Array): Buffer =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  switch (type) {
    case "float32":
      return view(Float32Array.from(values));
    case "int32":
      return view(Int32Array.from(values));
    case "int64":
      return view(BigInt64Array.from(values, BigInt));
    case "float16":
      return view(Uint16Array.from(values));
    case "bool":
      return view(Uint8Array.from(values));
  }
}

function valueInfoProto({ name, type, shape }: ValueInfo): Buffer {
  const dimensions = shape.map((size): Field => {
    const dimension: Field = typeof size === "number" ? [1, size] : [2, size];
    return [1, message([dimension])];
  });
  const tensor = message([
    [1, dataTypes[type]],
    [2, message(dimensions)],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

/** Encodes a message: integers as varints, floats as four bytes, other values with their length. */
export function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "number") return [varint(number << 3), varint(value)];
      if (typeof value === "object" && "float" in value)
        return [varint((number << 3) | 5), elements("float32", [value.float])];
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}
