/** Rows of the servers that share a database, and of the jobs that they have in flight. */
import type { Generated } from "kysely";
import type { JobKind } from "../column-values.js";

/** A server of several that share a database. */
export interface NodeRow {
  id: Generated<number>;
  name: string;
  /** Names the folder of the contents of files and images. */
  storage_id: string;
  /** Where it counts rate limits, as operators read it; null: it is not known. */
  limits_place: string | null;
  start_time: number;
}

export interface JobRow {
  id: string;
  kind: JobKind;
  team_id: string;
  api_key_id: string;
  endpoint: string;
  attempts: number;
  lease_until: number | null;
  create_time: number;
  /** JSON text. */
  body: string;
  /** JSON array of the tags of its request; null: none. */
  tags: string | null;
}

export interface JobTable extends JobRow {
  /** The server that has it in flight, of several that share the database. */
  node_id: Generated<number | null>;
}
