/**
 * A separate process in which onnxruntime does only what the server's models do: the same graphs, threads and
 * steps, on tensors of the same shapes. Its argument is a BareSettings as JSON. Each message is one job,
 * answered with its time in milliseconds.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { threadOptions } from "../../../../src/engine/worker/onnx-threads.js";
import type { BareSettings, BareTime, BareWork } from "./bare-process.js";

const settings = JSON.parse(process.argv[2] ?? "") as BareSettings;
const open = (path: string, threads: number): Promise<InferenceSession> =>
  InferenceSession.create(path, {
    ...threadOptions(threads),
    executionProviders: ["cpu"],
    logSeverityLevel: 3,
  });
const describe = await captioner();
const draw = await painter();

process.on("message", (work: BareWork) => {
  void answer(work).then((time) => process.send?.(time));
});
process.send?.({ ms: 0, steps: 0 } satisfies BareTime);

async function answer(work: BareWork): Promise<BareTime> {
  const began = performance.now();
  const steps = work.type === "describe" ? await describe(work.rgb) : await draw();
  return { ms: performance.now() - began, steps };
}

interface CaptionerConfig {
  readonly decoder_start_token_id: number;
  readonly eos_token_id: number;
  readonly encoder: { readonly image_size: number };
  readonly decoder: { readonly n_layer: number; readonly n_head: number; readonly n_embd: number };
}

/**
 * Runs the encoder once, then decodes greedily until the end token. @returns a function that returns the
 * number of tokens
 */
async function captioner(): Promise<(rgb: Uint8Array) => Promise<number>> {
  const { folder, threads } = settings.visionModel;
  const encoder = await open(join(folder, "onnx/encoder_model.onnx"), threads);
  const decoder = await open(join(folder, "onnx/decoder_model_merged.onnx"), threads);
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as CaptionerConfig;
  const { n_layer: layers, n_head: heads, n_embd: width } = config.decoder;
  const side = config.encoder.image_size;
  const normal = readNormal(readFileSync(join(folder, "preprocessor_config.json"), "utf8"));
  return async (rgb) => {
    const { last_hidden_state: seen } = await encoder.run({ pixel_values: toPixels(rgb, side, normal) });
    if (seen === undefined) throw new Error("an encoder without an output");
    let past: Record<string, Tensor> = {};
    for (let layer = 0; layer < layers; layer += 1)
      for (const part of ["key", "value"])
        past[`past_key_values.${layer}.${part}`] = new Tensor("float32", new Float32Array(0), [
          1,
          heads,
          0,
          width / heads,
        ]);
    let token = config.decoder_start_token_id;
    for (let tokens = 1; tokens <= 128; tokens += 1) {
      const input = new Tensor("int64", BigInt64Array.of(BigInt(token)), [1, 1]);
      const { logits, ...present } = await decoder.run({
        input_ids: input,
        encoder_hidden_states: seen,
        ...past,
      });
      token = likeliest(logits?.data as Float32Array);
      if (token === config.eos_token_id) return tokens;
      past = Object.fromEntries(
        Object.entries(present).map(([name, tensor]) => [name.replace("present", "past_key_values"), tensor]),
      );
    }
    return 128;
  };
}

interface Normal {
  readonly mean: number;
  readonly deviation: number;
}

interface Preprocessing {
  readonly do_normalize: boolean;
  readonly image_mean?: readonly number[];
  readonly image_std?: readonly number[];
}

function readNormal(text: string): Normal {
  const config = JSON.parse(text) as Preprocessing;
  if (!config.do_normalize) return { mean: 0, deviation: 1 };
  return { mean: config.image_mean?.[0] ?? 0, deviation: config.image_std?.[0] ?? 1 };
}

/** Converts interleaved pixels to planar channels. */
function toPixels(rgb: Uint8Array, side: number, { mean, deviation }: Normal): Tensor {
  const count = side * side;
  const values = new Float32Array(3 * count);
  for (let at = 0; at < count; at += 1)
    for (let channel = 0; channel < 3; channel += 1)
      values[channel * count + at] = ((rgb[at * 3 + channel] ?? 0) / 255 - mean) / deviation;
  return new Tensor("float32", values, [1, 3, side, side]);
}

function likeliest(logits: Float32Array): number {
  let best = 0;
  for (const [token, value] of logits.entries()) if (value > (logits[best] ?? 0)) best = token;
  return best;
}

/**
 * Runs the text encoder, the denoiser for every step, and the decoder. @returns a function that returns the
 * number of steps
 */
async function painter(): Promise<() => Promise<number>> {
  const { folder, threads, steps, isGuided, width, height } = settings.painter;
  const part = (name: string): Promise<InferenceSession> => open(join(folder, name, "model.onnx"), threads);
  const [encoder, unet, decoder] = [
    await part("text_encoder"),
    await part("unet"),
    await part("vae_decoder"),
  ];
  const batch = isGuided ? 2 : 1;
  const [rows, columns] = [height / 8, width / 8];
  return async () => {
    const ids = integers(encoder, "input_ids", [1, settings.painter.textTokens]);
    const text = (await encoder.run({ input_ids: ids }))["last_hidden_state"];
    if (text === undefined) throw new Error("a text encoder without an output");
    const numbers = text.data as Float32Array;
    const texts = Float32Array.from(
      { length: numbers.length * batch },
      (_, at) => numbers[at % numbers.length] ?? 0,
    );
    const encoder_hidden_states = new Tensor("float32", texts, [batch, ...text.dims.slice(1)]);
    const shape = [batch, 4, rows, columns];
    const sample = new Tensor("float32", noise(4 * rows * columns * batch), shape);
    for (let step = 0; step < steps; step += 1)
      await unet.run({ sample, timestep: createTimestep(unet), encoder_hidden_states });
    await decoder.run({
      latent_sample: new Tensor("float32", noise(4 * rows * columns), [1, 4, rows, columns]),
    });
    return steps;
  };
}

function noise(count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, at) => Math.sin(at * at));
}

function createTimestep(unet: InferenceSession): Tensor {
  const input = unet.inputMetadata.find(({ name }) => name === "timestep");
  return integers(unet, "timestep", input?.isTensor === true && input.shape.length === 0 ? [] : [1]);
}

/** Returns a tensor of ones in the type of the input. */
function integers(session: InferenceSession, name: string, shape: readonly number[]): Tensor {
  const input = session.inputMetadata.find((each) => each.name === name);
  const count = shape.reduce((product, size) => product * size, 1);
  if (input?.isTensor === true && input.type === "int32")
    return new Tensor("int32", new Int32Array(count).fill(1), shape);
  return new Tensor("int64", new BigInt64Array(count).fill(1n), shape);
}
