import { z } from "zod";

/** The schema of scheduler_config.json, with the defaults of diffusers. */
export const schedulerConfig = z.object({
  _class_name: z.string(),
  num_train_timesteps: z.number().int().min(1).max(100_000).default(1000),
  beta_start: z.number().min(0).max(1).default(0.0001),
  beta_end: z.number().min(0).max(1).default(0.02),
  beta_schedule: z.enum(["linear", "scaled_linear", "squaredcos_cap_v2"]).default("linear"),
  prediction_type: z.enum(["epsilon", "sample", "v_prediction"]).default("epsilon"),
  timestep_spacing: z.enum(["linspace", "leading", "trailing"]).nullish(),
  steps_offset: z.number().int().min(0).max(1000).default(0),
  set_alpha_to_one: z.boolean().default(true),
  clip_sample: z.boolean().nullish(),
  clip_sample_range: z.number().positive().default(1),
  rescale_betas_zero_snr: z.boolean().default(false),
  original_inference_steps: z.number().int().min(1).max(1000).default(50),
  timestep_scaling: z.number().positive().default(10),
  // The following options change the result and are not supported: they must be off.
  trained_betas: z.null().optional(),
  thresholding: z.literal(false).optional(),
  use_karras_sigmas: z.literal(false).nullish(),
  use_exponential_sigmas: z.literal(false).nullish(),
  use_beta_sigmas: z.literal(false).nullish(),
  interpolation_type: z.literal("linear").optional(),
});

type Read = z.infer<typeof schedulerConfig>;

/** The same, with the defaults that depend on the scheduler's class. */
export interface SchedulerConfig extends Read {
  readonly timestep_spacing: "linspace" | "leading" | "trailing";
  readonly clip_sample: boolean;
}
