/**
 * The common parts of schedulers: the share of the image that is left at each training step, and the choice of inference steps. Formulas: diffusers, `schedulers/scheduling_*.py` (Apache-2.0), after Ho et al. 2020 and Lin et al. 2023.
 */
import type { SchedulerConfig } from "./config.js";

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
export function roundToEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Returns an element of a table; the index is clamped to the table. */
export function at(table: Float64Array, index: number): number {
  return table[Math.max(0, Math.min(table.length - 1, index))] ?? 0;
}
