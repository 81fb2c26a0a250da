/** An image engine without a runtime: a test can wait in, or fail, each step of an image. */
import type { ImageEngine, ImageGenerationJob } from "../../../src/core/images/image-generation.js";

export interface ScriptedImageEngine extends ImageEngine {
  /** Every job that was started. */
  readonly jobs: readonly ImageGenerationJob[];
  /** Leases that are currently held. */
  readonly leases: number;
}

export interface ImageScript {
  /** Called before each step of an image; may wait or throw. */
  readonly onStep?: (job: ImageGenerationJob, step: number, signal: AbortSignal) => Promise<void> | void;
  readonly steps?: number;
}

/** Creates an engine whose images have 64 by 64 pixels, and whose files contain the job as JSON. */
export function createScriptedImageEngine({ onStep, steps = 2 }: ImageScript = {}): ScriptedImageEngine {
  const jobs: ImageGenerationJob[] = [];
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
    async generate(_model, job, signal, reportStep) {
      jobs.push(job);
      for (let step = 0; step < steps; step += 1) {
        await onStep?.(job, step, signal);
        signal.throwIfAborted();
        reportStep();
      }
      const counts = { promptTokens: job.prompt.split(" ").length, imageTokens: 64 };
      const bytes = Buffer.from(JSON.stringify(job));
      return { bytes, width: 64, height: 64, promptRead: job.prompt, ...counts };
    },
    residents: () => [],
    close: () => Promise.resolve(),
  };
}
