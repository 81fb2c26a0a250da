import type { DecodeJob } from "../../core/engine.js";
import type { Random } from "../../core/random.js";

/** A job as it is sent to the thread that generates, with the seed chosen. */
export interface SeededJob extends DecodeJob {
  /** 32-bit unsigned. */
  readonly seed: number;
}

/** Returns the job with its own seed or a random one, and without its schema: the thread needs the rules alone, and a schema may be large. */
export function seedJob({ format: _format, ...job }: DecodeJob, random: Random): SeededJob {
  return { ...job, seed: job.sampling.seed ?? readSeed(random.bytes(4)) };
}

function readSeed(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}
