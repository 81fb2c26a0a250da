/**
 * Greedy decoding of captions without transformers.js' own loop, whose overhead per step (wrapping and slicing tensors, lists of
 * processors) takes a quarter of the time of a small model. Only for models with plain greedy decoding, from the image and the sampled
 * tokens alone; other models use the library's loop.
 */
import { Tensor, type InferenceSession } from "onnxruntime-node";
import type { Stopped } from "./family.js";
import type { GenerationSettings, Runner } from "./transformers.js";

/** Returns the caption tokens of an image, including the end token. */
export type GreedyCaptioner = (pixels: Tensor, stopped: Stopped) => Promise<readonly number[]>;

type Feeds = Record<string, Tensor>;

const pastInput = /^past_key_values\.(\d+\.(?:key|value))$/;
const isPlainInput = /^(input_ids|encoder_hidden_states|use_cache_branch|past_key_values\.\d+\.(key|value))$/;

/** Creates a captioner. @returns null for a model that needs the library's loop. */
export function createGreedyCaptioner(runner: Runner, tokensMax: number): GreedyCaptioner | null {
  const { model: encoder, decoder_model_merged: decoder } = runner.sessions;
  if (encoder === undefined || decoder === undefined || !haveKnownInterface(encoder, decoder)) return null;
  const settings = runner._prepare_generation_config(null, {});
  if (!isGreedy(runner, settings)) return null;
  const { decoder_start_token_id: start, eos_token_id: end } = settings;
  if (start === null || end === null) return null;
  const ends = new Set([end].flat());
  const past = createPast(decoder);
  return async (pixels, stopped) => {
    const { last_hidden_state: encoded } = await encoder.run({ pixel_values: pixels });
    if (encoded === undefined) throw new Error("the encoder has no output");
    const feeds: Feeds = { ...past.none, encoder_hidden_states: encoded };
    const sampled: number[] = [];
    for (let last = start; sampled.length < tokensMax && !stopped();) {
      feeds["input_ids"] = new Tensor("int64", BigInt64Array.of(BigInt(last)), [1, 1]);
      const output = await decoder.run(feeds);
      last = argmax(output["logits"]?.data as Float32Array);
      sampled.push(last);
      if (ends.has(last)) break;
      past.keep(output, feeds);
    }
    return sampled;
  };
}

/** Returns whether decoding is greedy, without sampling, beams or logits processors. */
function isGreedy(runner: Runner, settings: GenerationSettings): boolean {
  const isOne = !settings.do_sample && settings.num_beams <= 1 && settings.num_return_sequences <= 1;
  return isOne && runner._get_logits_processor(settings, 1).processors.length === 0;
}

/** Returns whether inputs and outputs of both graphs are the expected ones, in float32. */
function haveKnownInterface(encoder: InferenceSession, decoder: InferenceSession): boolean {
  const given = [...encoder.outputMetadata, ...decoder.outputMetadata];
  return (
    encoder.inputNames.join() === "pixel_values" &&
    decoder.inputNames.every((name) => isPlainInput.test(name)) &&
    pastNames(decoder).every(([, present]) => decoder.outputNames.includes(present)) &&
    given.every((output) => output.isTensor && output.type === "float32")
  );
}

/** Returns the names of the decoder's past key-value inputs, each with the name of its output. */
function pastNames(decoder: InferenceSession): readonly (readonly [past: string, present: string])[] {
  return decoder.inputNames.flatMap((name) => {
    const place = pastInput.exec(name)?.[1];
    return place === undefined ? [] : [[name, `present.${place}`] as const];
  });
}

interface Past {
  /** Feeds before the first token. */
  readonly none: Feeds;
  /** Copies the key-value outputs of one step to the feeds of the next. */
  keep(output: InferenceSession.OnnxValueMapType, feeds: Feeds): void;
}

function createPast(decoder: InferenceSession): Past {
  const names = pastNames(decoder);
  const shapes = new Map(
    decoder.inputMetadata.map((input) => [input.name, input.isTensor ? input.shape : []]),
  );
  const none: Feeds = {};
  for (const [name] of names) {
    // The library interprets the names of axes the same way.
    const shape = (shapes.get(name) ?? []).map((side) =>
      typeof side === "number" ? side : Number(side === "batch_size"),
    );
    none[name] = new Tensor("float32", new Float32Array(0), shape);
  }
  const branches = decoder.inputNames.includes("use_cache_branch");
  const branch = (taken: boolean): Feeds =>
    branches ? { use_cache_branch: new Tensor("bool", [taken], [1]) } : {};
  return {
    none: { ...none, ...branch(false) },
    keep(output, feeds) {
      for (const [past, present] of names) feeds[past] = output[present] as Tensor;
      Object.assign(feeds, branch(true));
    },
  };
}

function argmax(logits: Float32Array): number {
  let best = 0;
  let most = logits[0] ?? Number.NaN;
  for (let token = 1; token < logits.length; token += 1) {
    const value = logits[token] ?? Number.NaN;
    if (value > most) [best, most] = [token, value];
  }
  return best;
}
