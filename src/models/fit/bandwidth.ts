/** Measures the bandwidth of memory, which bounds how fast a model decodes: every token reads all weights. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.js";
import { phases, type BandwidthTask } from "./bandwidth-task.js";

const measuredMs = 80;
const bytesPerBuffer = 64 * 1024 * 1024;
/** Time for the threads to start, and to end. */
const waitMsMax = 5_000;

interface BandwidthDeps {
  readonly clock: Clock;
  /** The compiled worker.ts. */
  readonly workerUrl: URL;
}

/**
 * Reads memory with several threads at once for less than a tenth of a second.
 * @returns bytes per second; null if it cannot be measured.
 */
export async function measureBandwidth(
  threads: number,
  { clock, workerUrl }: BandwidthDeps,
): Promise<number | null> {
  const shared = new SharedArrayBuffer(4);
  const phase = new Int32Array(shared);
  const workerData: BandwidthTask = { phase: shared, bytesPerBuffer };
  const workers = Array.from({ length: threads }, () => new Worker(workerUrl, { workerData }));
  const late = new AbortController();
  const cancel = clock.after(waitMsMax, () => late.abort());
  try {
    await readMessages(workers, late.signal);
    const results = readMessages(workers, late.signal);
    // A thread may fail before its result is awaited.
    results.catch(() => undefined);
    const start = clock.monotonic();
    setPhase(phase, phases.read);
    await new Promise<void>((resolve) => void clock.after(measuredMs, resolve));
    setPhase(phase, phases.stop);
    const seconds = (clock.monotonic() - start) / 1000;
    const bytes = (await results).map(Number);
    return bytes.reduce((total, each) => total + each, 0) / seconds;
  } catch {
    return null;
  } finally {
    cancel();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Returns the next message of each thread. Rejects when one fails, or when it takes too long. */
function readMessages(workers: readonly Worker[], signal: AbortSignal): Promise<readonly unknown[]> {
  return Promise.all(
    workers.map(async (worker) => {
      const [message] = (await once(worker, "message", { signal })) as readonly unknown[];
      return message;
    }),
  );
}

function setPhase(phase: Int32Array, value: number): void {
  Atomics.store(phase, 0, value);
  Atomics.notify(phase, 0);
}
