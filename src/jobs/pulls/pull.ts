import type { PullState } from "../../store/column-values.js";

export type { PullState } from "../../store/column-values.js";

/**
 * A download of a model that the management API started. Times are milliseconds since the epoch.
 *
 * States: queued -> running -> done, failed or cancelled. What is queued or running when the process ends is queued again at the next
 * start, and goes on from the bytes that are there.
 */
export interface ModelPull {
  readonly id: string;
  /** What to pull, as it was asked. */
  readonly what: string;
  readonly state: PullState;
  /** Id of the actor. */
  readonly actor: string;
  readonly createTime: number;
  /** null while it is queued or running. */
  readonly endTime: number | null;
  /** Id of the model; null unless it is done. */
  readonly modelId: string | null;
  /** A public sentence; null unless it has failed. */
  readonly error: string | null;
}

/** Whether nothing more will happen. */
export function isEnded({ endTime }: ModelPull): boolean {
  return endTime !== null;
}
