import { describe, expect, it } from "vitest";
import { Noise } from "../../../src/engine/images/noise.js";
import {
  alphaBars,
  spacedTimesteps,
  type Schedule,
  readScheduler,
} from "../../../src/engine/images/schedulers/scheduler.js";
import { schedulerConfig, type SchedulerConfig } from "../../../src/engine/images/schedulers/config.js";
import { publishedModels } from "../../kit/models/image-models.js";

const scaledLinear = { beta_schedule: "scaled_linear", beta_start: 0.00085, beta_end: 0.012 } as const;

function configOf(content: object): SchedulerConfig {
  const read = schedulerConfig.parse({ _class_name: "DDIMScheduler", ...content });
  return { ...read, timestep_spacing: read.timestep_spacing ?? "leading", clip_sample: false };
}

const scheduleOf = (content: object, steps: number): Schedule => readScheduler(content).scheduler(steps);

describe("the signal that is left at the last step", () => {
  // Lin et al. 2023, "Common diffusion noise schedules and sample steps are flawed", table 1: the square root of alpha-bar.
  it.each([
    ["linear", { beta_schedule: "linear", beta_start: 0.0001, beta_end: 0.02 }, 0.006353],
    ["Stable Diffusion's", scaledLinear, 0.068265],
  ])("is as published for the schedule %s", (_, content, root) => {
    expect(Math.sqrt(alphaBars(configOf(content)).at(-1) ?? 0)).toBeCloseTo(root, 6);
  });

  it("is almost zero for the cosine schedule", () => {
    const bars = alphaBars(configOf({ beta_schedule: "squaredcos_cap_v2" }));
    // The same table.
    expect(Math.sqrt(bars.at(-1) ?? 0)).toBeCloseTo(4.928e-5, 7);
  });

  it("is zero for a schedule with zero terminal SNR, and the other steps keep their order", () => {
    const bars = alphaBars(configOf({ ...scaledLinear, rescale_betas_zero_snr: true }));
    expect(bars.at(-1)).toBe(0);
    expect(bars[0]).toBeCloseTo(1 - 0.00085, 12);
    expect(bars.every((bar, step) => step === 0 || bar < (bars[step - 1] ?? 0))).toBe(true);
  });
});

describe("the chosen steps", () => {
  // Lin et al. 2023, table 2, counted from 0.
  it.each([
    ["leading", [900, 800, 700, 600, 500, 400, 300, 200, 100, 0]],
    ["linspace", [999, 888, 777, 666, 555, 444, 333, 222, 111, 0]],
    ["trailing", [999, 899, 799, 699, 599, 499, 399, 299, 199, 99]],
  ] as const)("are as published, %s", (spacing, expected) => {
    expect(spacedTimesteps(configOf({ timestep_spacing: spacing }), 10)).toEqual(expected);
  });

  it("of the published models are the same as in diffusers", () => {
    expect(scheduleOf(publishedModels.lcm.scheduler, 4).timesteps).toEqual([999, 759, 499, 259]);
    expect(scheduleOf(publishedModels.turbo.scheduler, 1).timesteps).toEqual([999]);
    expect(scheduleOf(publishedModels.turbo.scheduler, 4).timesteps).toEqual([999, 749, 499, 249]);
    expect(scheduleOf(publishedModels.sd15.scheduler, 50).timesteps.slice(0, 2)).toEqual([981, 961]);
    expect(scheduleOf(publishedModels.sd15.scheduler, 50).timesteps.at(-1)).toBe(1);
  });
});

it("Euler's largest and smallest sigma of Stable Diffusion equal those published with k-diffusion", () => {
  const content = { _class_name: "EulerDiscreteScheduler", ...scaledLinear, timestep_spacing: "linspace" };
  const schedule = scheduleOf(content, 1000);
  expect(schedule.initialScale).toBeCloseTo(14.6146, 3);
  // The input at the last step is divided by the root of sigma squared plus one.
  const last = schedule.input(Float32Array.of(1), 999)[0] ?? 0;
  expect(Math.sqrt(1 / last ** 2 - 1)).toBeCloseTo(0.0292, 3);
});

/**
 * The loops of diffusers' own tests, tests/schedulers/test_scheduler_{ddim,euler,lcm}.py: 768 numbers from 0 to 1 for a sample,
 * and a model that multiplies by t / (t + 1). The sums of the absolute results are the ones written there.
 */
function looped(schedule: Schedule, keepsScaled: boolean): number {
  let sample: Float32Array = Float32Array.from({ length: 768 }, (_, place) => place / 768);
  sample = sample.map((value) => value * schedule.initialScale);
  for (const [index, timestep] of schedule.timesteps.entries()) {
    const input = schedule.input(sample, index);
    const output = input.map((value) => (value * timestep) / (timestep + 1));
    sample = schedule.step(output, keepsScaled ? input : sample, index, new Noise(0));
  }
  return sample.reduce((sum, value) => sum + Math.abs(value), 0);
}

describe("a whole loop has the result of diffusers' own tests", () => {
  const ddim = { _class_name: "DDIMScheduler", beta_schedule: "linear", beta_start: 0.0001, beta_end: 0.02 };
  const euler = { ...ddim, _class_name: "EulerDiscreteScheduler", num_train_timesteps: 1100 };
  const lcm = { ...scaledLinear, _class_name: "LCMScheduler", prediction_type: "epsilon" };

  it.each([
    ["DDIM", { ...ddim, clip_sample: true }, 10, 172.0067],
    ["DDIM that predicts v", { ...ddim, clip_sample: true, prediction_type: "v_prediction" }, 10, 52.5302],
    ["DDIM from a larger beta", { ...ddim, clip_sample: true, beta_start: 0.01 }, 10, 149.8295],
    [
      "DDIM that never is quite there",
      { ...ddim, clip_sample: true, beta_start: 0.01, set_alpha_to_one: false },
      10,
      149.0784,
    ],
    ["Euler", euler, 10, 10.0807],
    ["Euler that predicts v", { ...euler, prediction_type: "v_prediction" }, 10, 0.0002],
    ["LCM in one step", lcm, 1, 18.7097],
  ])("%s", (_, content, steps, sum) => {
    expect(
      Math.abs(looped(scheduleOf(content, steps), content._class_name.startsWith("Euler")) - sum),
    ).toBeLessThan(0.01);
  });
});

it("LCM adds fresh noise between steps and none after the last", () => {
  const schedule = scheduleOf(publishedModels.lcm.scheduler, 2);
  const [output, sample] = [Float32Array.of(0, 0), Float32Array.of(1, 1)];
  const stepped = (index: number, seed: number) => schedule.step(output, sample, index, new Noise(seed));
  expect(stepped(0, 1)).not.toEqual(stepped(0, 2));
  expect(stepped(1, 1)).toEqual(stepped(1, 2));
});

describe("a scheduler's configuration", () => {
  it.each([
    [
      "of an unknown class",
      { _class_name: "HeunDiscreteScheduler" },
      "its scheduler 'HeunDiscreteScheduler' is none of",
    ],
    [
      "of a class that every object has",
      { _class_name: "constructor" },
      "its scheduler 'constructor' is none of",
    ],
    [
      "that asks for what is not done",
      { _class_name: "EulerDiscreteScheduler", use_karras_sigmas: true },
      "use_karras_sigmas that is not supported",
    ],
    ["without a class", {}, "_class_name that is not supported"],
  ])("%s is refused by name", (_, content, message) => {
    expect(() => readScheduler(content)).toThrow(message);
  });
});
