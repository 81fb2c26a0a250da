/**
 * Priorities and options of onnxruntime's threads. Each engine runs onnxruntime in a worker thread, and onnxruntime starts further
 * threads of its own. They get a lower priority than the threads that answer requests, for when there are too few cores for all.
 */
import type { InferenceSession } from "onnxruntime-node";
import { lowerPriority } from "../../system/thread-priority.js";

/**
 * Added to the nice value of the threads. On a busy core they get about a third of the other threads' time where a chat waits for an
 * image description, and a tenth for image generation, which takes longer anyway. On free cores neither has an effect.
 */
const niceIncrements = { vision: 5, images: 10 } as const;

/** Lowers the priority of the calling thread, and of every thread that is started from it, by what suits its work. */
export function lowerThreadPriority(work: keyof typeof niceIncrements): void {
  lowerPriority(niceIncrements[work]);
}

/** Returns the thread options of an onnxruntime session. @param threads threads of one run. */
export function threadOptions(threads: number): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // A thread that spins while it waits for the other threads of its run occupies a core that they need. On a busy machine a run
    // then takes several times as long (measured); on an idle one it is no faster.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  };
}
