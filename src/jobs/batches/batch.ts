import type { StoredOwner } from "../../inference/stored-owner.js";
import type { BatchFormat, BatchState } from "../../store/column-values.js";

export type { BatchFormat, BatchState } from "../../store/column-values.js";

/** Many requests that are answered when there is capacity. Times are milliseconds since the epoch. */
export interface Batch extends StoredOwner {
  readonly id: string;
  /** The key that created it: lines are answered with its permissions, limits and credit. */
  readonly apiKeyId: string;
  readonly format: BatchFormat;
  /** The route of its requests. */
  readonly endpoint: string;
  readonly state: BatchState;
  /** The state that it will end in, once it has no more lines to answer; null before. */
  readonly outcome: "completed" | "expired" | "cancelled" | null;
  readonly inputFileId: string | null;
  /** Answers; of a message batch all results. */
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  /** How long its output is stored. */
  readonly outputExpiresMs: number;
  /** JSON text. */
  readonly metadata: string | null;
  /** JSON text of a list of `BatchError`. */
  readonly errors: string | null;
  readonly lines: number;
  /** Bytes of its requests. */
  readonly bytes: number;
  /** The first line that was not queued yet. */
  readonly nextLine: number;
  readonly succeeded: number;
  readonly errored: number;
  /** Lines that were not answered because it expired or was cancelled. */
  readonly dropped: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly createTime: number;
  /** When it is ended although it has lines to answer. */
  readonly expireTime: number;
  readonly startTime: number | null;
  readonly finalizeTime: number | null;
  readonly cancelTime: number | null;
  readonly endTime: number | null;
  /** JSON array of the tags of the request that created it; null: none. */
  readonly tags: string | null;
}

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

/** Tokens of an answer, as a batch adds them up. */
export type BatchTokens = Pick<
  Batch,
  "promptTokens" | "cachedTokens" | "completionTokens" | "reasoningTokens"
>;

/** A line that was answered. */
export interface EndedLine {
  readonly batchId: string;
  readonly line: number;
  readonly state: "succeeded" | "errored";
  /** The line of the output, without a newline. */
  readonly result: string;
  readonly tokens: BatchTokens;
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

/** Returns the id of the job that answers a line, which is also the id of its request. */
export function jobIdOf(batchId: string, line: number): string {
  return `batch_req_${batchId.slice(batchId.indexOf("_") + 1)}_${line}`;
}
