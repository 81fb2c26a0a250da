import type { Write, Writes } from "../../store/writes.js";
import type { Batch } from "./batch.js";
import { checkLoad, type BatchLimits } from "./limits.js";
import type { BatchStore } from "./store/batches.js";

/**
 * Commits changes that write a batch, if its team may have it.
 * @param batch as it is after the changes
 * @throws HearthError `rate_limited` when it may not; then nothing is written.
 */
export type Admit = (batch: Batch, changes: readonly Write[]) => Promise<void>;

interface AdmissionDeps {
  readonly batches: BatchStore;
  readonly writes: Writes;
  readonly limits: BatchLimits;
}

/** Builds the check that every creation and validation of a batch passes. */
export function createBatchAdmission({ batches, writes, limits }: AdmissionDeps): Admit {
  let last: Promise<void> = Promise.resolve();
  return (batch, changes) => {
    // One after the other: concurrent calls would all find the last place free.
    const admitted = last.then(async () => {
      checkLoad(await batches.readLoad(batch.teamId, batch.id), batch, limits);
      await writes.commit(changes);
    });
    last = admitted.catch(() => undefined);
    return admitted;
  };
}
