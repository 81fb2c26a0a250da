/** The types of the tables of files and batches, for kysely. Times are milliseconds since the epoch. */
import type { BatchFormat, BatchLineState, BatchState, FilePurpose } from "../column-values.js";

export interface FileRow {
  id: string;
  team_id: string;
  user_id: string | null;
  purpose: FilePurpose;
  filename: string;
  mime_type: string;
  bytes: number;
  create_time: number;
  expire_time: number | null;
}

export interface BatchRow {
  id: string;
  team_id: string;
  api_key_id: string;
  user_id: string | null;
  format: BatchFormat;
  endpoint: string;
  state: BatchState;
  outcome: "completed" | "expired" | "cancelled" | null;
  input_file_id: string | null;
  output_file_id: string | null;
  error_file_id: string | null;
  output_expires_ms: number;
  /** JSON text. */
  metadata: string | null;
  errors: string | null;
  lines: number;
  bytes: number;
  next_line: number;
  succeeded: number;
  errored: number;
  dropped: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  create_time: number;
  expire_time: number;
  start_time: number | null;
  finalize_time: number | null;
  cancel_time: number | null;
  end_time: number | null;
  /** JSON array of the tags of the request that created it; null: none. */
  tags: string | null;
}

export interface BatchLineRow {
  batch_id: string;
  line: number;
  custom_id: string;
  state: BatchLineState;
  /** JSON text. */
  body: string;
  result: string | null;
}
