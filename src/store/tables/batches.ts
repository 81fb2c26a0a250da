/** The types of the table of files, for kysely. Times are milliseconds since the epoch. */
import type { FilePurpose } from "../column-values.js";

export interface FileRow {
  id: string;
  team_id: string;
  purpose: FilePurpose;
  filename: string;
  mime_type: string;
  bytes: number;
  create_time: number;
  expire_time: number | null;
}
