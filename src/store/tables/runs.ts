/** The types of the tables of runs; `Schema` names the tables. */
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
}

export interface RunLabelsRow {
  run_id: string;
  expire_time: number;
  /** JSON text. */
  labels: string;
}
