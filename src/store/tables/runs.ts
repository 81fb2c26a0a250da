/** The tables of runs, of what was said of them, and of what they have read and written. */
import type { RunState } from "../../core/run-state.js";
import type { LabelSource } from "../column-values.js";

export interface RunTables {
  runs: {
    id: string;
    requestId: string;
    teamId: string;
    apiKeyId: string;
    model: string;
    endpoint: string;
    state: RunState;
    promptTokens: number;
    cachedTokens: number;
    imageTokens: number;
    completionTokens: number;
    reasoningTokens: number;
    costTicks: number;
    startTime: number;
    endTime: number | null;
    /** null for runs older than the table of prices. */
    priceId: number | null;
    reservedTicks: number | null;
    askedModel: string | null;
    /** The number of generated images, and the price of each. */
    images: number;
    imageTicks: number;
    /** The user who created its key; null for runs older than this column whose key is deleted. */
    userId: string | null;
    /** The most that it could cost and use; null for runs older than these columns. */
    boundTicks: number | null;
    boundTokens: number | null;
    /** When its request was accepted; milliseconds since the epoch. */
    createTime: number;
    /** null for runs older than this column. */
    streamed: boolean | null;
    /** Milliseconds from its acceptance to the first text; null when there was none. */
    firstTokenMs: number | null;
    /** The finish reason of the last choice that ended; null when none did. */
    finishReason: string | null;
    /** Kind of the error that ended it. */
    errorKind: string | null;
  };
  /** Sums of the runs of an hour that were deleted. A trigger updates them. */
  deletedRuns: {
    teamId: string;
    hour: number;
    model: string;
    askedModel: string;
    apiKeyId: string;
    /** Empty: not known. */
    userId: string;
    /** 0 for runs older than the price book. */
    priceId: number;
    imageTicks: number;
    runs: number;
    /** Runs that have a transaction that charges them, or that only releases their reservation. */
    chargedRuns: number;
    releasedRuns: number;
    promptTokens: number;
    cachedTokens: number;
    imageTokens: number;
    completionTokens: number;
    reasoningTokens: number;
    images: number;
    costTicks: number;
    creditTicks: number;
  };
  runLabels: {
    runId: string;
    expireTime: number;
    /** JSON text. */
    labels: string;
    /** The tags and the end user that the run is counted for: `tag:...`, `user:...`. */
    subjects: readonly string[];
  };
  /** Labels that are summed by themselves in a month. */
  countedLabels: {
    teamId: string;
    /** Such as 202611. */
    month: number;
    source: LabelSource;
    label: string;
  };
  /** What requests and answers have. */
  requestBodies: {
    runId: string;
    teamId: string;
    /** JSON texts of lists of messages. */
    input: string;
    output: string;
    /** The bytes of both texts. */
    bytes: number;
    /** Whether something was left out, because it is too long. */
    isCut: boolean;
    createTime: number;
    expireTime: number;
  };
  /** One row. */
  requestBodiesTotal: {
    id: number;
    bytes: number;
  };
}
