/**
 * Captions without the library's own loop: what that does around each step (tensors wrapped and sliced, lists of processors) takes
 * a small model a quarter of its time. Only for models whose loop is the plain one: the most likely token again and again, from
 * nothing but the picture and what was said of it. For any other there is none, and the library's is taken.
 */
import { Tensor, type InferenceSession } from "onnxruntime-node";
import type { Stopped } from "./family.js";
import type { GenerationSettings, Runner } from "./library.js";

/** Says the tokens of a picture, its end among them. */
export type Caption = (pixels: Tensor, stopped: Stopped) => Promise<readonly number[]>;

type Feeds = Record<string, Tensor>;

const pastInput = /^past_key_values\.(\d+\.(?:key|value))$/;
const isPlainInput = /^(input_ids|encoder_hidden_states|use_cache_branch|past_key_values\.\d+\.(key|value))$/;

/** @returns null for a model that has to be run by the library. */
export function plainCaption(runner: Runner, tokensMax: number): Caption | null {
  const { model: encoder, decoder_model_merged: decoder } = runner.sessions;
  if (encoder === undefined || decoder === undefined || !areAsUsual(encoder, decoder)) return null;
  const settings = runner._prepare_generation_config(null, {});
  if (!isGreedy(runner, settings)) return null;
  const { decoder_start_token_id: start, eos_token_id: end } = settings;
  if (start === null || end === null) return null;
  const ends = new Set([end].flat());
  const past = pastOf(decoder);
  return async (pixels, stopped) => {
    const { last_hidden_state: seen } = await encoder.run({ pixel_values: pixels });
    if (seen === undefined) throw new Error("an encoder without an output");
    const feeds: Feeds = { ...past.none, encoder_hidden_states: seen };
    const said: number[] = [];
    for (let last = start; said.length < tokensMax && !stopped();) {
      feeds["input_ids"] = new Tensor("int64", BigInt64Array.of(BigInt(last)), [1, 1]);
      const output = await decoder.run(feeds);
      last = likeliest(output["logits"]?.data as Float32Array);
      said.push(last);
      if (ends.has(last)) break;
      past.keep(output, feeds);
    }
    return said;
  };
}

/** Whether nothing is chosen by chance, weighed or forbidden. */
function isGreedy(runner: Runner, settings: GenerationSettings): boolean {
  const isOne = !settings.do_sample && settings.num_beams <= 1 && settings.num_return_sequences <= 1;
  return isOne && runner._get_logits_processor(settings, 1).processors.length === 0;
}

/** Whether both take and give what is known here, in full precision. */
function areAsUsual(encoder: InferenceSession, decoder: InferenceSession): boolean {
  const given = [...encoder.outputMetadata, ...decoder.outputMetadata];
  return (
    encoder.inputNames.join() === "pixel_values" &&
    decoder.inputNames.every((name) => isPlainInput.test(name)) &&
    pastNames(decoder).every(([, present]) => decoder.outputNames.includes(present)) &&
    given.every((output) => output.isTensor && output.type === "float32")
  );
}

/** Names of what was said as the decoder takes it, with those under which it gives it. */
function pastNames(decoder: InferenceSession): readonly (readonly [past: string, present: string])[] {
  return decoder.inputNames.flatMap((name) => {
    const place = pastInput.exec(name)?.[1];
    return place === undefined ? [] : [[name, `present.${place}`] as const];
  });
}

interface Past {
  /** Before the first token. */
  readonly none: Feeds;
  /** Feeds what came of one step to the next. */
  keep(output: InferenceSession.OnnxValueMapType, feeds: Feeds): void;
}

function pastOf(decoder: InferenceSession): Past {
  const names = pastNames(decoder);
  const shapes = new Map(
    decoder.inputMetadata.map((input) => [input.name, input.isTensor ? input.shape : []]),
  );
  const none: Feeds = {};
  for (const [name] of names) {
    // The library's own reading of the axes' names.
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

function likeliest(logits: Float32Array): number {
  let best = 0;
  let most = logits[0] ?? Number.NaN;
  for (let token = 1; token < logits.length; token += 1) {
    const value = logits[token] ?? Number.NaN;
    if (value > most) [best, most] = [token, value];
  }
  return best;
}
