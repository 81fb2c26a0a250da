/**
 * The only import of transformers.js. Configures it to download nothing, read only the model's own folder, and write nothing to the
 * console; adds types where the library has none.
 */
import {
  AutoImageProcessor,
  AutoProcessor,
  AutoTokenizer,
  env,
  LogLevel,
  RawImage,
  StoppingCriteria,
  type PreTrainedTokenizer,
  type Tensor,
} from "@huggingface/transformers";
import type { InferenceSession } from "onnxruntime-node";
import type { DecodedImage } from "../../core/images/images.js";
import type { ImageDescription } from "../../core/images/vision.js";
import { threadOptions } from "../worker/onnx-threads.js";
import type { Stopped } from "./family.js";
import { listModelFiles } from "./model-files.js";

env.allowRemoteModels = false;
env.useFSCache = false;
env.logLevel = LogLevel.NONE;

/** Tensors by the names of a model's inputs. */
export type Feeds = Readonly<Record<string, unknown>>;

/** Decoding settings of a model, from all its configuration files. */
export interface GenerationSettings {
  readonly decoder_start_token_id: number | null;
  readonly eos_token_id: number | readonly number[] | null;
  readonly do_sample: boolean;
  readonly num_beams: number;
  readonly num_return_sequences: number;
}

/** A model with its sessions open. */
export interface Runner {
  /** The fields of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly sessions: Readonly<Partial<Record<string, InferenceSession>>>;
  generate(inputs: Feeds): Promise<Tensor>;
  /** The settings that `generate` uses. */
  _prepare_generation_config(given: null, inputs: Feeds): GenerationSettings;
  /** The processors that change logits before a token is chosen. */
  _get_logits_processor(
    settings: GenerationSettings,
    inputTokens: number,
  ): { readonly processors: readonly unknown[] };
  dispose(): Promise<unknown>;
}

/** Any of the library's classes that open models. */
interface Opener {
  from_pretrained(folder: string, options: object): Promise<unknown>;
}

/** Converts images to tensors. */
type ImageProcessor = (images: readonly RawImage[]) => Promise<Feeds>;

/** Converts an image and a text to tensors; the order of arguments depends on the family. */
export interface Processor {
  (...args: unknown[]): Promise<Feeds>;
  readonly tokenizer: PreTrainedTokenizer;
}

const local = { local_files_only: true } as const;

export async function openRunner(opener: Opener, folder: string, threads: number): Promise<Runner> {
  const { dtype, externalData } = await listModelFiles(folder);
  const options = {
    ...local,
    device: "cpu",
    dtype,
    use_external_data_format: externalData,
    session_options: { ...threadOptions(threads), logSeverityLevel: 4 },
  };
  return (await opener.from_pretrained(folder, options)) as Runner;
}

export async function openImageProcessor(folder: string): Promise<ImageProcessor> {
  return AutoImageProcessor.from_pretrained(folder, local);
}

export async function openProcessor(folder: string): Promise<Processor> {
  return (await AutoProcessor.from_pretrained(folder, local)) as unknown as Processor;
}

export function openTokenizer(folder: string): Promise<PreTrainedTokenizer> {
  return AutoTokenizer.from_pretrained(folder, local);
}

export function rawImage({ rgb, width, height }: DecodedImage): RawImage {
  return new RawImage(rgb, width, height, 3);
}

/** Returns a criterion that ends a generation when it is cancelled. */
export function stopWhen(stopped: Stopped): StoppingCriteria {
  return new StopWhen(stopped);
}

/** Returns the number of prompt tokens, which the output begins with. */
export function promptLength(inputs: Feeds): number {
  return (inputs["input_ids"] as { readonly dims: readonly number[] }).dims.at(-1) ?? 0;
}

/** Returns the text of the output tokens from index `from`. */
export function readCaption(tokenizer: PreTrainedTokenizer, output: Tensor, from: number): ImageDescription {
  return readIds(tokenizer, Array.from(output.data as BigInt64Array, Number).slice(from));
}

/** Returns the text of tokens. */
export function readIds(tokenizer: PreTrainedTokenizer, ids: readonly number[]): ImageDescription {
  const text = tokenizer.decode([...ids], { skip_special_tokens: true });
  return { text: text.trim(), tokens: ids.length };
}

class StopWhen extends StoppingCriteria {
  readonly #stopped: Stopped;

  constructor(stopped: Stopped) {
    super();
    this.#stopped = stopped;
  }

  override _call(inputIds: number[][]): boolean[] {
    const stopped = this.#stopped();
    return inputIds.map(() => stopped);
  }
}
