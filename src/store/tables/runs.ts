/** The types of the tables of runs; `Schema` names the tables. */
import type { LabelSource } from "../column-values.js";
import type { RunState } from "../../core/run-state.js";

export interface RunRow {
  id: string;
  request_id: string;
  team_id: string;
  api_key_id: string;
  model: string;
  endpoint: string;
  state: RunState;
  prompt_tokens: number;
  cached_tokens: number;
  image_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  cost_ticks: number;
  start_time: number;
  end_time: number | null;
  /** null for runs older than the table of prices. */
  price_id: number | null;
  reserved_ticks: number | null;
  asked_model: string | null;
  /** The number of generated images, and the price of each. */
  images: number;
  image_ticks: number;
  /** The user who created its key; null for runs older than this column whose key is deleted. */
  user_id: string | null;
  /** The most that it could cost and use; null for runs older than these columns. */
  bound_ticks: number | null;
  bound_tokens: number | null;
  /** When its request was accepted; milliseconds since the epoch. */
  create_time: number;
  /** null for runs older than this column. */
  streamed: number | null;
  /** Milliseconds from its acceptance to the first text; null when there was none. */
  first_token_ms: number | null;
  /** Of the last choice that ended; null when none did. */
  finish_reason: string | null;
  /** Kind of the error that ended it. */
  error_kind: string | null;
}

/** Sums of the runs of an hour that were deleted. A trigger updates them. */
export interface DeletedRunsRow extends Pick<
  RunRow,
  | "team_id"
  | "model"
  | "api_key_id"
  | "image_ticks"
  | "prompt_tokens"
  | "cached_tokens"
  | "image_tokens"
  | "completion_tokens"
  | "reasoning_tokens"
  | "images"
  | "cost_ticks"
> {
  hour: number;
  asked_model: string;
  /** Empty: not known. */
  user_id: string;
  /** 0 for runs older than the price book. */
  price_id: number;
  runs: number;
  /** Runs that have a transaction that charges them, or that only releases their reservation. */
  charged_runs: number;
  released_runs: number;
  credit_ticks: number;
}

export interface RunLabelsRow {
  run_id: string;
  expire_time: number;
  /** JSON text. */
  labels: string;
  /** JSON array of the tags and the end user that the run is counted for: `tag:...`, `user:...`. */
  subjects: string;
}

/** A label that is summed by itself in a month. */
export interface CountedLabelRow {
  team_id: string;
  /** Such as 202611. */
  month: number;
  source: LabelSource;
  label: string;
}
