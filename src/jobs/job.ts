import type { Row } from "../store/tables.js";
export type { JobKind } from "../store/column-values.js";

/**
 * Work that is done in the background: it is in the queue from the moment its request is accepted until its outcome is written, and
 * survives the process.
 */
export interface Job extends Omit<Row<"jobs">, "leaseUntil" | "nodeId" | "tags"> {
  /** The tags in the header of its request. */
  readonly tags: readonly string[];
}
