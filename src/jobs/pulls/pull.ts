import type { Row } from "../../store/tables.js";

/**
 * A download of a model that the management API started. Times are milliseconds since the epoch.
 *
 * States: queued -> running -> done, failed or cancelled. What is queued or running when the process ends is queued again at the next
 * start, and goes on from the bytes that are there.
 */
export type ModelPull = Omit<Row<"modelPulls">, "nodeId">;

/** Whether nothing more will happen. */
export function isEnded({ endTime }: ModelPull): boolean {
  return endTime !== null;
}
