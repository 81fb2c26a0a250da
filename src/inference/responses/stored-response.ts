import type { Row } from "../../store/tables.js";
import type { ResponseStatus } from "../../store/column-values.js";

export type { ResponseStatus } from "../../store/column-values.js";

/** Statuses of a response whose run has not ended. */
export const unfinishedStatuses: readonly ResponseStatus[] = ["queued", "in_progress"];

/** A response that its team can fetch again. */
export type StoredResponse = Row<"responses">;

/** Whether its run has not ended. */
export function isUnfinished({ status }: StoredResponse): boolean {
  return status === "queued" || status === "in_progress";
}

/** An input or output item of a response. */
export interface StoredItem {
  /** The item's id on the wire; not necessarily unique. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

/** How a response ended. */
export interface ResponseEnding {
  readonly status: Exclude<ResponseStatus, "queued" | "in_progress">;
  readonly body: string;
  readonly output: readonly StoredItem[];
  /** Its compressed stream; null when none is stored. */
  readonly events: Uint8Array | null;
}
