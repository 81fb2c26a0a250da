/** Deletes what has expired: once at the start, then every hour, in small steps between other work. */
import type { Clock } from "../core/clock.js";
import type { NodeStore } from "../store/nodes.js";

/** Deletes up to `limit` rows that expired before `now`. @returns how many were deleted. */
export type Sweep = (now: number, limit: number) => Promise<number>;

interface Expiring {
  readonly deleteExpired: Sweep;
}

interface SweptStores {
  readonly deferred: Expiring;
  readonly responses: Expiring;
  readonly completions: Expiring;
  readonly runLabels: Expiring;
  readonly bodyStore: Expiring;
  readonly signIns: Expiring;
  readonly files: Expiring;
  readonly approvals: Expiring;
  readonly images: Expiring;
  readonly batchLines: { deleteEnded(limit: number): Promise<number> };
  readonly batches: { deleteEnded: Sweep };
  readonly requests: { deleteBefore: Sweep };
  readonly nodes: NodeStore;
}

const dayMs = 24 * 60 * 60 * 1000;

/** How long a batch can be read after its end. */
const batchRetentionMs = 30 * dayMs;

/** Lists what has an end. One server of a database sweeps. @param runsKeptDays 0: runs have no end */
export function listSweeps(stores: SweptStores, runsKeptDays: number): readonly Sweep[] {
  const { deferred, responses, completions, runLabels, bodyStore, signIns, files, approvals } = stores;
  const { images, batchLines, batches, requests, nodes } = stores;
  const expired =
    (store: Expiring): Sweep =>
    (now, limit) =>
      store.deleteExpired(now, limit);
  const oldRuns: Sweep = (now, limit) => requests.deleteBefore(now - runsKeptDays * dayMs, limit);
  const sweeps: readonly Sweep[] = [
    ...[deferred, responses, completions, runLabels, bodyStore, signIns, files, approvals].map(expired),
    (_, limit) => batchLines.deleteEnded(limit),
    (now, limit) => batches.deleteEnded(now - batchRetentionMs, limit),
    ...(runsKeptDays === 0 ? [] : [oldRuns]),
    // Last, because it reads a folder: what follows would start at another time in every run of the simulation.
    expired(images),
  ];
  return sweeps.map(
    (sweep): Sweep =>
      async (now, limit) =>
        (await nodes.leads("retention")) ? sweep(now, limit) : 0,
  );
}

const intervalMs = 60 * 60 * 1000;
/** A step blocks the event loop for its few milliseconds. */
const stepRows = 200;
const stepPauseMs = 20;

/** Builds the retention. @param onError called with the error of a step; the next hour retries. */
export function createRetention(clock: Clock, sweeps: readonly Sweep[], onError: (thrown: unknown) => void) {
  let isOpen = false;
  let stop = (): void => undefined;
  let step: Promise<void> = Promise.resolve();
  const later = (delayMs: number, left: readonly Sweep[]): void => {
    stop = clock.after(delayMs, () => {
      step = next(left);
    });
  };
  const next = async ([sweep, ...rest]: readonly Sweep[]): Promise<void> => {
    let deleted = 0;
    try {
      deleted = (await sweep?.(clock.now(), stepRows)) ?? 0;
    } catch (thrown) {
      onError(thrown);
    }
    if (!isOpen) return;
    const left = sweep !== undefined && deleted === stepRows ? [sweep, ...rest] : rest;
    if (left.length > 0) later(stepPauseMs, left);
    else later(intervalMs, sweeps);
  };
  return {
    start(): void {
      isOpen = true;
      later(0, sweeps);
    },
    /** Resolves when the current step is done. */
    async close(): Promise<void> {
      isOpen = false;
      stop();
      await step;
    },
  };
}
