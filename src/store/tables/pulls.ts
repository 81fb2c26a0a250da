/** The types of the table of downloads of models, for kysely. */
import type { Generated } from "kysely";
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

export interface ModelPullTable extends ModelPullRow {
  /** The server that does it, of several that share the database. */
  node_id: Generated<number | null>;
}
