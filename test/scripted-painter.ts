/** The port to whatever draws, without a runtime: each step of an image is a promise that a test resolves, or resolved already. */
import type { DrawingEngine, DrawJob } from "../src/core/image-generation.js";

export interface ScriptedPainter extends DrawingEngine {
  /** Every image that was begun. */
  readonly jobs: readonly DrawJob[];
  /** Runs that hold a model now. */
  readonly leases: number;
}

export interface PainterScript {
  /** Waits, or throws, before each step of an image. */
  readonly onStep?: (job: DrawJob, step: number, signal: AbortSignal) => Promise<void> | void;
  readonly steps?: number;
}

/** Images of 64 by 64, whose file is what was asked of them. */
export function createScriptedPainter({ onStep, steps = 2 }: PainterScript = {}): ScriptedPainter {
  const jobs: DrawJob[] = [];
  let leases = 0;
  return {
    jobs,
    get leases() {
      return leases;
    },
    async load() {
      leases += 1;
      return { sizeFor: () => ({ width: 64, height: 64 }), release: () => void (leases -= 1) };
    },
    async draw(_model, job, signal, tell) {
      jobs.push(job);
      for (let step = 0; step < steps; step += 1) {
        await onStep?.(job, step, signal);
        signal.throwIfAborted();
        tell();
      }
      return { bytes: Buffer.from(JSON.stringify(job)), width: 64, height: 64, promptRead: job.prompt };
    },
    residents: () => [],
    close: () => Promise.resolve(),
  };
}
