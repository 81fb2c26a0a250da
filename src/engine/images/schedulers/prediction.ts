import type { SchedulerConfig } from "./config.js";

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
export function predictionAt(
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
