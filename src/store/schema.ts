import type { Billing } from "../core/team.js";
import type { RunState } from "../core/run-record.js";

/**
 * The tables as kysely sees them; migrations/ makes them. SQLite has no booleans: flags are 0 or 1. Times are milliseconds
 * since the epoch.
 */
export interface Schema {
  teams: TeamRow;
  api_keys: ApiKeyRow;
  runs: RunRow;
}

export interface TeamRow {
  id: string;
  name: string;
  billing: Billing;
  blocked: number;
  weight: number;
  create_time: number;
}

export interface ApiKeyRow {
  id: string;
  team_id: string;
  user_id: string;
  name: string;
  hash: Uint8Array;
  redacted: string;
  /** JSON array of strings. */
  acls: string;
  disabled: number;
  blocked: number;
  expire_time: number | null;
  create_time: number;
  modify_time: number;
  modified_by: string;
}

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
}
