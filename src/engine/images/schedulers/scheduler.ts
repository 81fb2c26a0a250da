/**
 * Schedulers convert noise to an image step by step, as pure functions of the model's output, by the class that the model's folder names.
 */
import { UnusableModelError } from "../unusable-model.js";
import { schedulerConfig, type SchedulerConfig } from "./config.js";
import type { Noise } from "../noise.js";

/** @param steps at least 1. @throws RangeError when there are too many. */
export type NoiseScheduler = (steps: number) => Schedule;

type Method = (config: SchedulerConfig, steps: number) => Schedule;

interface SchedulerClass {
  readonly method: Method;
  readonly spacing: SchedulerConfig["timestep_spacing"];
  readonly clips: boolean;
}

const classes: Readonly<Record<string, SchedulerClass>> = {
  DDIMScheduler: { method: ddim, spacing: "leading", clips: true },
  // The same equation, solved by DDIM: diffusers treats them as interchangeable.
  PNDMScheduler: { method: ddim, spacing: "leading", clips: false },
  EulerDiscreteScheduler: { method: euler, spacing: "linspace", clips: false },
  LCMScheduler: { method: lcm, spacing: "leading", clips: false },
};

/**
 * Returns the scheduler that a scheduler_config.json names.
 * @throws UnusableModelError when it is not supported.
 */
export function readScheduler(content: unknown): {
  readonly config: SchedulerConfig;
  readonly scheduler: NoiseScheduler;
} {
  const parsed = schedulerConfig.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UnusableModelError(
      `its scheduler_config.json has a ${issue?.path.join(".") ?? "field"} that is not supported.`,
    );
  }
  const className = parsed.data._class_name;
  const known = Object.hasOwn(classes, className) ? classes[className] : undefined;
  if (known === undefined)
    throw new UnusableModelError(
      `its scheduler '${className.slice(0, 64)}' is none of ${Object.keys(classes).join(", ")}.`,
    );
  const config: SchedulerConfig = {
    ...parsed.data,
    timestep_spacing: parsed.data.timestep_spacing ?? known.spacing,
    clip_sample: parsed.data.clip_sample ?? known.clips,
  };
  return { config, scheduler: (steps) => known.method(config, steps) };
}

/** The denoising steps from noise to image. */
export interface Schedule {
  /** The timestep input of each step; not always an integer. */
  readonly timesteps: readonly number[];
  /** Factor of the initial noise of variance 1. */
  readonly initialScale: number;
  /** Returns the model's input at a step. */
  input(sample: Float32Array, index: number): Float32Array;
  /** Returns the sample after a step. @param output of the model. @param noise source for methods that add noise. */
  step(output: Float32Array, sample: Float32Array, index: number, noise: Noise): Float32Array;
}

/** Karras et al. 2022, algorithm 2 without churn; sigmas and scales as in diffusers' EulerDiscreteScheduler. */
function euler(config: SchedulerConfig, steps: number): Schedule {
  const trained = config.num_train_timesteps;
  if (steps > trained) throw new RangeError(`more than ${trained} steps`);
  // Without any signal the sigma would be infinite; diffusers uses the same small number.
  const table = alphaBars(config).map((bar) => toSigma(Math.max(bar, 2 ** -24)));
  const timesteps = spacedTimesteps(config, steps);
  const sigmas = [...timesteps.map((timestep) => interpolated(table, timestep)), 0];
  const largest = Math.max(...sigmas);
  const isLeading = config.timestep_spacing === "leading";
  const sigmaAt = (index: number): number => sigmas[index] ?? 0;
  return {
    timesteps,
    initialScale: isLeading ? Math.sqrt(largest ** 2 + 1) : largest,
    input: (sample, index) => sample.map((value) => value / Math.sqrt(sigmaAt(index) ** 2 + 1)),
    step(output, sample, index) {
      const sigma = sigmaAt(index);
      const change = sigmaAt(index + 1) - sigma;
      return sample.map((value, place) => {
        const image = predictImage(config, output[place] ?? 0, value, sigma);
        return value + ((value - image) / sigma) * change;
      });
    },
  };
}

function predictImage(config: SchedulerConfig, output: number, sample: number, sigma: number): number {
  switch (config.prediction_type) {
    case "epsilon":
      return sample - sigma * output;
    case "sample":
      return output;
    case "v_prediction":
      return output * (-sigma / Math.sqrt(sigma ** 2 + 1)) + sample / (sigma ** 2 + 1);
  }
}

function toSigma(alphaBar: number): number {
  return Math.sqrt((1 - alphaBar) / alphaBar);
}

function interpolated(table: Float64Array, place: number): number {
  const below = Math.floor(place);
  const share = place - below;
  return at(table, below) * (1 - share) + at(table, below + 1) * share;
}

/** Standard deviation of images that consistency models assume. */
const sigmaData = 0.5;

/** Luo et al. 2023 (latent consistency models), multistep sampling; steps and scalings as in diffusers' LCMScheduler. */
function lcm(config: SchedulerConfig, steps: number): Schedule {
  const { num_train_timesteps: trained, original_inference_steps: original } = config;
  if (steps > original) throw new RangeError(`more than ${original} steps`);
  const bars = alphaBars(config);
  const stride = Math.floor(trained / original);
  const timesteps = Array.from(
    { length: steps },
    (_, index) => (original - Math.floor((index * original) / steps)) * stride - 1,
  );
  return {
    timesteps,
    initialScale: 1,
    input: (sample) => sample,
    step(output, sample, index, noise) {
      const timestep = timesteps[index] ?? 0;
      const scaled = timestep * config.timestep_scaling;
      const skip = sigmaData ** 2 / (scaled ** 2 + sigmaData ** 2);
      const out = scaled / Math.sqrt(scaled ** 2 + sigmaData ** 2);
      const predicted = predictionAt(config, at(bars, timestep));
      const images = sample.map((value, place) => {
        const { image } = predicted(output[place] ?? 0, value);
        return out * image + skip * value;
      });
      const next = timesteps[index + 1];
      if (next === undefined) return images;
      const alpha = at(bars, next);
      return images.map((image) => Math.sqrt(alpha) * image + Math.sqrt(1 - alpha) * noise.gaussian());
    },
  };
}

/** Song et al. 2020, formula (12) with eta 0; steps as in diffusers' DDIMScheduler. */
function ddim(config: SchedulerConfig, steps: number): Schedule {
  const trained = config.num_train_timesteps;
  if (steps > trained) throw new RangeError(`more than ${trained} steps`);
  const bars = alphaBars(config);
  const last = config.set_alpha_to_one ? 1 : at(bars, 0);
  const stride = Math.floor(trained / steps);
  const timesteps = spacedTimesteps(config, steps).map((each) => Math.min(trained - 1, roundToEven(each)));
  return {
    timesteps,
    initialScale: 1,
    input: (sample) => sample,
    step(output, sample, index) {
      const timestep = timesteps[index] ?? 0;
      const before = timestep - stride;
      const alpha = before >= 0 ? at(bars, before) : last;
      const [signal, sigma] = [Math.sqrt(alpha), Math.sqrt(1 - alpha)];
      const predicted = predictionAt(config, at(bars, timestep));
      return sample.map((value, place) => {
        const { image, noise } = predicted(output[place] ?? 0, value);
        return signal * image + sigma * noise;
      });
    },
  };
}

/** The predicted parts of one number of a sample. */
interface Prediction {
  /** The part of the image. */
  readonly image: number;
  /** The part of the noise. */
  readonly noise: number;
}

/**
 * Returns a function that converts a model's output to image and noise, by the type of prediction (Salimans and Ho 2022, appendix D).
 * @param alpha share of the image's variance in the sample (alpha-bar); the rest is noise.
 */
function predictionAt(
  config: SchedulerConfig,
  alpha: number,
): (output: number, sample: number) => Prediction {
  const [signal, sigma] = [Math.sqrt(alpha), Math.sqrt(1 - alpha)];
  const clip = readClip(config);
  switch (config.prediction_type) {
    case "epsilon":
      return (output, sample) => ({ image: clip((sample - sigma * output) / signal), noise: output });
    case "sample":
      return (output, sample) => ({ image: clip(output), noise: (sample - signal * output) / sigma });
    case "v_prediction":
      return (output, sample) => ({
        image: clip(signal * sample - sigma * output),
        noise: signal * output + sigma * sample,
      });
  }
}

function readClip({
  clip_sample: clips,
  clip_sample_range: range,
}: SchedulerConfig): (value: number) => number {
  return clips ? (value) => Math.max(-range, Math.min(range, value)) : (value) => value;
}

// The common parts of schedulers: the share of the image that is left at each training step, and the choice of inference steps. Formulas:
// diffusers, `schedulers/scheduling_*.py` (Apache-2.0), after Ho et al. 2020 and Lin et al. 2023.

/** Returns the products of all 1 - beta up to each step (alpha-bar). */
export function alphaBars(config: SchedulerConfig): Float64Array {
  const { num_train_timesteps: steps, rescale_betas_zero_snr: endsInNoise } = config;
  const bars = new Float64Array(steps);
  let product = 1;
  for (let step = 0; step < steps; step += 1) bars[step] = product *= 1 - betaAt(config, step);
  return endsInNoise ? rescaleZeroTerminalSnr(bars) : bars;
}

function betaAt(config: SchedulerConfig, step: number): number {
  const { num_train_timesteps: steps, beta_start: start, beta_end: end, beta_schedule: schedule } = config;
  const share = steps === 1 ? 0 : step / (steps - 1);
  if (schedule === "linear") return start + share * (end - start);
  if (schedule === "scaled_linear")
    return (Math.sqrt(start) + share * (Math.sqrt(end) - Math.sqrt(start))) ** 2;
  // squaredcos_cap_v2: Nichol and Dhariwal 2021.
  const bar = (at: number): number => Math.cos((((at + 0.008) / 1.008) * Math.PI) / 2) ** 2;
  return Math.min(1 - bar((step + 1) / steps) / bar(step / steps), 0.999);
}

/** Lin et al. 2023, algorithm 1: rescales the schedule so that no signal is left in the last step. */
function rescaleZeroTerminalSnr(bars: Float64Array): Float64Array {
  const roots = bars.map(Math.sqrt);
  const [first, last] = [roots[0] ?? 1, roots.at(-1) ?? 0];
  return roots.map((root) => (((root - last) * first) / (first - last)) ** 2);
}

/** Returns the training steps of `count` inference steps, from noise to image. */
export function spacedTimesteps(config: SchedulerConfig, count: number): readonly number[] {
  const { num_train_timesteps: trained, timestep_spacing: spacing, steps_offset: offset } = config;
  const indices = Array.from({ length: count }, (_, index) => index);
  if (spacing === "linspace")
    return indices.map((index) => (count === 1 ? 0 : (index * (trained - 1)) / (count - 1))).reverse();
  if (spacing === "trailing")
    return indices.map((index) => roundToEven(trained - (index * trained) / count) - 1);
  const ratio = Math.floor(trained / count);
  return indices.map((index) => index * ratio + offset).reverse();
}

/** Rounds half to even, like numpy. */
function roundToEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Returns an element of a table; the index is clamped to the table. */
function at(table: Float64Array, index: number): number {
  return table[Math.max(0, Math.min(table.length - 1, index))] ?? 0;
}
