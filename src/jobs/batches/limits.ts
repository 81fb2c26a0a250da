import { HearthError } from "../../core/errors.js";
import type { Batch, BatchLoad } from "./batch.js";

/** Limits on batches; where nothing else is stated, a limit on a team holds for all its batches that have not ended, together. */
export interface BatchLimits {
  /** Requests of one batch. */
  readonly batchLinesMax: number;
  /** Bytes of the requests of one batch. */
  readonly batchBytesMax: number;
  readonly teamBatchesMax: number;
  readonly teamBatchLinesMax: number;
  readonly teamBatchBytesMax: number;
  /** Ended batches of one team: the oldest are removed when it creates more. */
  readonly teamEndedBatchesMax: number;
  /** Largest single request. */
  readonly bodyBytesMax: number;
}

/**
 * Checks whether a team may have another batch. @param load without the new one.
 * @throws HearthError `rate_limited` that says what the team has too much of.
 */
export function checkLoad(load: BatchLoad, { lines, bytes }: Batch, limits: BatchLimits): void {
  const refuse = (what: string): never => {
    throw new HearthError(
      "rate_limited",
      `The team has ${what} waiting in batches. Wait until batches have ended.`,
    );
  };
  if (load.batches >= limits.teamBatchesMax) refuse(`${load.batches} of ${limits.teamBatchesMax} batches`);
  if (load.lines + lines > limits.teamBatchLinesMax)
    refuse(`${load.lines} of ${limits.teamBatchLinesMax} requests`);
  if (load.bytes + bytes > limits.teamBatchBytesMax)
    refuse(`${load.bytes} of ${limits.teamBatchBytesMax} bytes`);
}
