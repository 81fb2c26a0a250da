/** The type of the table of access groups; `Schema` names it. */
export interface AccessGroupRow {
  name: string;
  description: string;
  /** JSON list. */
  acls: string;
  create_time: number;
  modify_time: number;
}
