import type { Noise } from "../noise.js";

/** A way from noise to image, of a set number of steps. */
export interface Schedule {
  /** What the model is told of each step; not always whole. */
  readonly timesteps: readonly number[];
  /** What noise of variance 1 is multiplied by to begin with. */
  readonly initialScale: number;
  /** What the model is given at a step. */
  input(sample: Float32Array, index: number): Float32Array;
  /** The sample after a step. @param output of the model. @param noise where the method adds some of its own. */
  step(output: Float32Array, sample: Float32Array, index: number, noise: Noise): Float32Array;
}
