import { alphaBars, at } from "./betas.js";
import type { SchedulerConfig } from "./config.js";
import { predictionAt } from "./prediction.js";
import type { Schedule } from "./schedule.js";

/** Standard deviation of images that consistency models assume. */
const sigmaData = 0.5;

/** Luo et al. 2023 (latent consistency models), multistep sampling; steps and scalings as in diffusers' LCMScheduler. */
export function lcm(config: SchedulerConfig, steps: number): Schedule {
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
