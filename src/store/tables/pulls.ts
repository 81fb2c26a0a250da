/** The type of the table of downloads of models, for kysely. */
import type { PullState } from "../column-values.js";

export interface ModelPullRow {
  id: string;
  what: string;
  state: PullState;
  actor: string;
  create_time: number;
  end_time: number | null;
  model_id: string | null;
  error: string | null;
}
