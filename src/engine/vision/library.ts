/**
 * The one door to transformers.js. Through it nothing is fetched from anywhere, nothing is read but a model's own folder, and
 * nothing is written to the console. What the library leaves untyped is typed here.
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
import type { Picture } from "../../core/images.js";
import type { Described } from "../../core/vision.js";
import { threadOptions } from "../onnx-threads.js";
import type { OpenOptions, Stopped } from "./family.js";
import { filesOf } from "./layout.js";

env.allowRemoteModels = false;
env.useFSCache = false;
env.logLevel = LogLevel.NONE;

/** Tensors by the names of a model's inputs. */
export type Feeds = Readonly<Record<string, unknown>>;

/** How a model says one token after another, by all its configuration files. */
export interface GenerationSettings {
  readonly decoder_start_token_id: number | null;
  readonly eos_token_id: number | readonly number[] | null;
  readonly do_sample: boolean;
  readonly num_beams: number;
  readonly num_return_sequences: number;
}

/** A model with its sessions open. */
export interface Runner {
  readonly sessions: Readonly<Partial<Record<string, InferenceSession>>>;
  generate(inputs: Feeds): Promise<Tensor>;
  /** The library's own reading, which `generate` begins with. */
  _prepare_generation_config(given: null, inputs: Feeds): GenerationSettings;
  /** What changes the likelihoods of tokens before one is chosen. */
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

/** Makes tensors of a picture. */
export type ImageProcessor = (images: readonly RawImage[]) => Promise<Feeds>;

/** Makes tensors of a picture and of a text, each family in its own order. */
export interface Processor {
  (...asked: unknown[]): Promise<Feeds>;
  readonly tokenizer: PreTrainedTokenizer;
  apply_chat_template(messages: readonly object[], options: object): string;
}

const local = { local_files_only: true } as const;

export async function openRunner(opener: Opener, folder: string, { threads }: OpenOptions): Promise<Runner> {
  const { dtype, externalData } = await filesOf(folder);
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

export function rawImage({ rgb, width, height }: Picture): RawImage {
  return new RawImage(rgb, width, height, 3);
}

/** Ends a generation as soon as nobody waits for it. */
export function stopWhen(stopped: Stopped): StoppingCriteria {
  return new StopWhen(stopped);
}

/** The text of the tokens from `from` on. */
export function readTokens(tokenizer: PreTrainedTokenizer, output: Tensor, from: number): Described {
  return readIds(tokenizer, Array.from(output.data as BigInt64Array, Number).slice(from));
}

/** The text of tokens. */
export function readIds(tokenizer: PreTrainedTokenizer, ids: readonly number[]): Described {
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
