/**
 * Schedulers convert noise to an image step by step, as pure functions of the model's output. Each file is one method; this file selects
 * the method by the class that the model's folder names.
 */
import { UnusableModelError } from "../unusable-model.js";
import { schedulerConfig, type SchedulerConfig } from "./config.js";
import { ddim } from "./ddim.js";
import { euler } from "./euler.js";
import { lcm } from "./lcm.js";
import type { Schedule } from "./schedule.js";

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
