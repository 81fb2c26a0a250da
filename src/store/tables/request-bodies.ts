/** The types of the tables of what requests and answers have; `Schema` names the tables. */
export interface RequestBodiesRow {
  run_id: string;
  team_id: string;
  /** JSON lists of messages. */
  input: string;
  output: string;
  /** Of both. */
  bytes: number;
  is_cut: number;
  create_time: number;
  expire_time: number;
}

/** One row. */
export interface RequestBodiesTotalRow {
  id: number;
  bytes: number;
}
