/** One ONNX graph of a model, fed by what its own metadata says: names, types and ranks differ from export to export. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { threadOptions } from "../onnx-threads.js";
import { fromHalves, toHalves } from "./half.js";

export interface GraphOptions {
  readonly threads: number;
}

/** Numbers with their shape. */
export interface Numbers {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export interface Graph {
  /** Shape of an input, a number where it is fixed and a name where it is not; null when there is no such input. */
  shapeOf(input: string): readonly (number | string)[] | null;
  /**
   * Runs it on what it is given by name. A number goes as a scalar, or a list of one, as the input has it; what it has no input
   * for is left out. Blocks its thread.
   * @param output by name; the first, where there is none of that name.
   */
  run(
    feeds: Readonly<Record<string, Numbers | number | readonly number[]>>,
    output: string,
  ): Promise<Numbers>;
  release(): Promise<void>;
}

type Value = InferenceSession.TensorValueMetadata;

/** Opens a graph; its external data is found beside it. @throws Error of the runtime. */
export async function openGraph(path: string, { threads }: GraphOptions): Promise<Graph> {
  const session = await InferenceSession.create(path, {
    executionProviders: ["cpu"],
    ...threadOptions(threads),
    logSeverityLevel: 3,
  });
  const inputs = new Map(session.inputMetadata.flatMap((each) => (each.isTensor ? [[each.name, each]] : [])));
  return {
    shapeOf: (input) => inputs.get(input)?.shape ?? null,
    async run(feeds, output) {
      const tensors: Record<string, Tensor> = {};
      for (const [name, value] of Object.entries(feeds)) {
        const input = inputs.get(name);
        if (input !== undefined) tensors[name] = tensorOf(value, input);
      }
      const results = await session.run(tensors);
      const result = results[output] ?? results[session.outputNames[0] ?? ""];
      if (result === undefined) throw new Error("a graph without an output");
      return { data: floatsOf(result), shape: result.dims };
    },
    release: () => session.release(),
  };
}

function tensorOf(value: Numbers | number | readonly number[], { name, type, shape }: Value): Tensor {
  if (typeof value === "number") {
    const count = typeof shape[0] === "number" ? shape[0] : 1;
    return filled(type, new Float32Array(count).fill(value), shape.length === 0 ? [] : [count], name);
  }
  if ("data" in value) return filled(type, value.data, value.shape, name);
  return filled(type, value, [1, value.length], name);
}

function filled(
  type: Value["type"],
  values: Float32Array | readonly number[],
  shape: readonly number[],
  name: string,
): Tensor {
  switch (type) {
    case "float32":
      // The runtime only reads it.
      return new Tensor(
        "float32",
        values instanceof Float32Array ? values : Float32Array.from(values),
        shape,
      );
    case "float16":
      return new Tensor("float16", toHalves(Float32Array.from(values)), shape);
    case "float64":
      return new Tensor("float64", Float64Array.from(values), shape);
    case "int32":
      return new Tensor("int32", Int32Array.from(values, Math.round), shape);
    case "int64":
      return new Tensor(
        "int64",
        BigInt64Array.from(values as ArrayLike<number> & Iterable<number>, wholeOf),
        shape,
      );
    default:
      throw new Error(`the input '${name}' is of the type ${type}`);
  }
}

function wholeOf(value: number): bigint {
  return BigInt(Math.round(value));
}

function floatsOf({ data, type }: Tensor): Float32Array {
  if (data instanceof Float32Array) return data;
  if (type === "float16")
    return fromHalves(
      new Uint16Array((data as Uint16Array).buffer, (data as Uint16Array).byteOffset, data.length),
    );
  return Float32Array.from(data as Iterable<number>);
}
