import type { Noise } from "../noise.js";

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
