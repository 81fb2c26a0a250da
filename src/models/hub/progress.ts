/** The progress of a pull as plain data, and its rate. */
import type { Clock } from "../../core/clock.js";

export interface PullProgress {
  readonly phase: "resolving" | "downloading" | "verifying" | "done";
  /** The file in work, relative to the folder of models; empty while it is being found. */
  readonly file: string;
  /** The sum over all files; while one is verified, the bytes that were read again. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Over the last seconds. */
  readonly bytesPerSecond: number;
  readonly filesDone: number;
  readonly filesTotal: number;
}

const windowMs = 5_000;
const emitMsMin = 100;

/** Computes the rate and limits how often progress is reported; a new phase or file is reported at once. */
export function createReporter(
  clock: Clock,
  report: (progress: PullProgress) => void,
): (progress: Omit<PullProgress, "bytesPerSecond">) => void {
  let samples: { readonly at: number; readonly bytes: number }[] = [];
  let last: { readonly at: number; readonly step: string } | null = null;
  return (progress) => {
    const at = clock.monotonic();
    const step = `${progress.phase} ${progress.file}`;
    const isNew = last?.step !== step;
    if (!isNew && last !== null && at - last.at < emitMsMin) return;
    // What was there before counts for no rate.
    if (isNew && !last?.step.startsWith(`${progress.phase} `)) samples = [];
    last = { at, step };
    samples = [...samples.filter((sample) => at - sample.at <= windowMs), { at, bytes: progress.bytesDone }];
    const [first] = samples;
    const elapsed = at - (first?.at ?? at);
    const gained = Math.max(0, progress.bytesDone - (first?.bytes ?? 0));
    report({ ...progress, bytesPerSecond: elapsed <= 0 ? 0 : Math.round((gained * 1000) / elapsed) });
  };
}
