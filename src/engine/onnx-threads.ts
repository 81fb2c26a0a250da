/**
 * How the threads of onnxruntime share the machine with those that answer requests. Each engine runs it in a worker thread, and it
 * starts as many more as a model may keep busy; here is who goes first where there are fewer cores than threads that want one.
 */
import { getPriority, platform, setPriority } from "node:os";
import type { InferenceSession } from "onnxruntime-node";

/**
 * How far threads stand back, and with what weight they share a core: a third of the others' where a chat waits for what is seen,
 * a tenth where nobody expects an answer at once. Where cores are free neither costs anything.
 */
const nicenesses = { seeing: 5, drawing: 10 } as const;
const nicest = 19;

/**
 * Lets the thread that calls it, and every thread that the runtime starts from it, give way to the others of this process. On
 * Linux alone is a thread's priority its own; elsewhere it is the process's, and nothing is done.
 */
export function giveWay(work: keyof typeof nicenesses): void {
  if (platform() !== "linux") return;
  try {
    setPriority(0, Math.min(nicest, getPriority(0) + nicenesses[work]));
  } catch {
    // Where a sandbox forbids it, the threads stay equals.
  }
}

/** Of every session. @param threads of one run of it. */
export function threadOptions(threads: number): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // A thread that waits for the others of its run by spinning takes the core that they wait for: where cores are wanted by
    // others too, a run takes several times as long (measured), and is no faster where they are not.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  };
}
