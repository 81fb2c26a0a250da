import { alphaBars, at, spacedTimesteps } from "./betas.js";
import type { SchedulerConfig } from "./config.js";
import type { Schedule } from "./schedule.js";

/** Karras et al. 2022, algorithm 2 without churn; sigmas and scales as in diffusers' EulerDiscreteScheduler. */
export function euler(config: SchedulerConfig, steps: number): Schedule {
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
