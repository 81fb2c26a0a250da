/**
 * Schedulers: how noise becomes an image step by step, as pure functions over what the model says at each step. Each file is
 * one method; this one picks it by the class that the model's folder names.
 */
import { Unusable } from "../unusable.js";
import { schedulerConfig, type SchedulerConfig } from "./config.js";
import { ddim } from "./ddim.js";
import { euler } from "./euler.js";
import { lcm } from "./lcm.js";
import type { Schedule } from "./schedule.js";

/** @param steps at least 1. @throws RangeError when there cannot be as many. */
export type Scheduler = (steps: number) => Schedule;

type Method = (config: SchedulerConfig, steps: number) => Schedule;

interface Class {
  readonly method: Method;
  readonly spacing: SchedulerConfig["timestep_spacing"];
  readonly clips: boolean;
}

const classes: Readonly<Record<string, Class>> = {
  DDIMScheduler: { method: ddim, spacing: "leading", clips: true },
  // The same equation, solved by DDIM: diffusers lets either stand for the other.
  PNDMScheduler: { method: ddim, spacing: "leading", clips: false },
  EulerDiscreteScheduler: { method: euler, spacing: "linspace", clips: false },
  LCMScheduler: { method: lcm, spacing: "leading", clips: false },
};

/**
 * The scheduler that a scheduler_config.json names.
 * @throws Unusable when it cannot be had.
 */
export function readScheduler(content: unknown): {
  readonly config: SchedulerConfig;
  readonly scheduler: Scheduler;
} {
  const parsed = schedulerConfig.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Unusable(
      `its scheduler_config.json has a ${issue?.path.join(".") ?? "field"} that is not supported.`,
    );
  }
  const named = parsed.data._class_name;
  const known = Object.hasOwn(classes, named) ? classes[named] : undefined;
  if (known === undefined)
    throw new Unusable(
      `its scheduler '${named.slice(0, 64)}' is none of ${Object.keys(classes).join(", ")}.`,
    );
  const config: SchedulerConfig = {
    ...parsed.data,
    timestep_spacing: parsed.data.timestep_spacing ?? known.spacing,
    clip_sample: parsed.data.clip_sample ?? known.clips,
  };
  return { config, scheduler: (steps) => known.method(config, steps) };
}
