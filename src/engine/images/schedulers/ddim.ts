import { alphaBars, at, roundToEven, spacedTimesteps } from "./betas.js";
import type { SchedulerConfig } from "./config.js";
import { predictionAt } from "./prediction.js";
import type { Schedule } from "./schedule.js";

/** Song et al. 2020, formula (12) with eta 0; steps as in diffusers' DDIMScheduler. */
export function ddim(config: SchedulerConfig, steps: number): Schedule {
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
