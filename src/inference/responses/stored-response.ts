import type { StoredOwner } from "../stored-owner.js";
import type { ResponseStatus } from "../../store/column-values.js";

export type { ResponseStatus } from "../../store/column-values.js";

/** Statuses of a response whose run has not ended. */
export const unfinishedStatuses: readonly ResponseStatus[] = ["queued", "in_progress"];

/** A response that its team can fetch again. Times are milliseconds since the epoch. */
export interface StoredResponse extends StoredOwner {
  readonly id: string;
  /** The response that it continues. */
  readonly previousId: string | null;
  /** The conversation that its items are added to when it has completed. */
  readonly conversationId: string | null;
  readonly status: ResponseStatus;
  /** Whether it is processed in the background, so that it can be cancelled. */
  readonly background: boolean;
  /** Whether its client requested a stream, so that its events are stored. */
  readonly streams: boolean;
  /** JSON text of the response object. */
  readonly body: string;
  readonly createTime: number;
  readonly expireTime: number;
}

/** Whether its run has not ended. */
export function isUnfinished({ status }: Pick<StoredResponse, "status">): boolean {
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
