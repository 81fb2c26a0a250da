/** Runs one ONNX graph of a model. Inputs are converted as the graph's metadata requires: names, types and ranks differ between exports. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { threadOptions } from "../worker/onnx-threads.js";
import { fromHalves, toHalves } from "./float16.js";

export interface GraphOptions {
  readonly threads: number;
}

/** A tensor of 32-bit floats. */
export interface FloatTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export type Graph = Awaited<ReturnType<typeof openGraph>>;

type Value = InferenceSession.TensorValueMetadata;

/** Opens a graph; external data is expected in the same folder. @throws Error of the runtime. */
export async function openGraph(path: string, { threads }: GraphOptions) {
  const session = await InferenceSession.create(path, {
    executionProviders: ["cpu"],
    ...threadOptions(threads),
    logSeverityLevel: 3,
  });
  const inputs = new Map(session.inputMetadata.flatMap((each) => (each.isTensor ? [[each.name, each]] : [])));
  return {
    /** Returns the shape of an input, with a number for a fixed side and a name for any other; null when there is no such input. */
    shapeOf: (input: string): readonly (number | string)[] | null => inputs.get(input)?.shape ?? null,
    /**
     * Runs the graph. A number becomes a scalar or a list of one, as the input requires; values without an input are ignored. Blocks
     * the thread.
     * @param output name of the output; the first output if there is none of that name.
     */
    async run(
      feeds: Readonly<Record<string, FloatTensor | number | readonly number[]>>,
      output: string,
    ): Promise<FloatTensor> {
      const tensors: Record<string, Tensor> = {};
      for (const [name, value] of Object.entries(feeds)) {
        const input = inputs.get(name);
        if (input !== undefined) tensors[name] = toTensor(value, input);
      }
      const results = await session.run(tensors);
      const result = results[output] ?? results[session.outputNames[0] ?? ""];
      if (result === undefined) throw new Error("the graph has no output");
      return { data: readFloats(result), shape: result.dims };
    },
    release: (): Promise<void> => session.release(),
  };
}

function toTensor(value: FloatTensor | number | readonly number[], { name, type, shape }: Value): Tensor {
  if (typeof value === "number") {
    const count = typeof shape[0] === "number" ? shape[0] : 1;
    return createTensor(type, new Float32Array(count).fill(value), shape.length === 0 ? [] : [count], name);
  }
  if ("data" in value) return createTensor(type, value.data, value.shape, name);
  return createTensor(type, value, [1, value.length], name);
}

function createTensor(
  type: Value["type"],
  values: Float32Array | readonly number[],
  shape: readonly number[],
  name: string,
): Tensor {
  switch (type) {
    case "float32":
      // The runtime does not modify it.
      return new Tensor(
        "float32",
        values instanceof Float32Array ? values : Float32Array.from(values),
        shape,
      );
    case "float16":
      return createHalfTensor(toHalves(Float32Array.from(values)), shape);
    case "float64":
      return new Tensor("float64", Float64Array.from(values), shape);
    case "int32":
      return new Tensor("int32", Int32Array.from(values, Math.round), shape);
    case "int64":
      return new Tensor(
        "int64",
        BigInt64Array.from(values as ArrayLike<number> & Iterable<number>, toBigInt),
        shape,
      );
    default:
      throw new Error(`the input '${name}' is of the type ${type}`);
  }
}

/** Where Node has a Float16Array (24 and later) the library converts to one, which its native part does not read. */
function createHalfTensor(halves: Uint16Array, shape: readonly number[]): Tensor {
  const tensor = new Tensor("float16", halves, shape);
  if (!(tensor.data instanceof Uint16Array)) Object.defineProperty(tensor, "data", { value: halves });
  return tensor;
}

function toBigInt(value: number): bigint {
  return BigInt(Math.round(value));
}

function readFloats({ data, type }: Tensor): Float32Array {
  if (data instanceof Float32Array) return data;
  if (type === "float16")
    return fromHalves(
      new Uint16Array((data as Uint16Array).buffer, (data as Uint16Array).byteOffset, data.length),
    );
  return Float32Array.from(data as Iterable<number>);
}
