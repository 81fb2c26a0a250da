import type { CountedTokens } from "../../core/requests/counted-tokens.js";
import type { Row } from "../../store/tables.js";

export type { BatchFormat } from "../../store/column-values.js";

/** Many requests that are answered when there is capacity. */
export type Batch = Row<"batches">;

/** What is wrong with the input of a batch. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  /** The field of the line; null when it is none. */
  readonly param: string | null;
  /** Counted from 1; null when it is the whole input. */
  readonly line: number | null;
}

/** One request of a batch. */
export interface BatchLine {
  /** Counted from 0, in the order of the input. */
  readonly line: number;
  readonly customId: string;
  /** JSON text of the request. */
  readonly body: string;
}

/** A line that was answered. */
export interface EndedLine {
  readonly batchId: string;
  readonly line: number;
  readonly state: "succeeded" | "errored";
  /** The line of the output, without a newline. */
  readonly result: string;
  readonly tokens: CountedTokens;
}

/** Unfinished batches of one team, and what they have in all. */
export interface BatchLoad {
  readonly batches: number;
  readonly lines: number;
  readonly bytes: number;
}

export interface BatchPage {
  readonly batches: readonly Batch[];
  readonly hasMore: boolean;
}
