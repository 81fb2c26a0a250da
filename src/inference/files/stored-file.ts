import type { Row } from "../../store/tables.js";
import type { FilePurpose } from "../../store/column-values.js";

export type { FilePurpose } from "../../store/column-values.js";

/** What a client may upload a file for. */
export const uploadPurposes = ["assistants", "batch", "user_data", "vision"] as const;

/** The purposes of files that clients see. */
export const visiblePurposes = [...uploadPurposes, "batch_output"] as const;

/** A file of a team; its content is on the disk. */
export type StoredFile = Row<"files">;

/** Which files of a team are listed. */
export interface FileQuery {
  readonly teamId: string;
  /** Without any, files of every purpose that clients see. */
  readonly purpose: FilePurpose | null;
  /** By time of creation. */
  readonly order: "asc" | "desc";
  /** Id of the file after which the page starts, in this order; null = at the start. */
  readonly after: string | null;
  /** Files of the page; at least 1. */
  readonly limit: number;
}

export interface FilePage {
  readonly files: readonly StoredFile[];
  readonly hasMore: boolean;
}

/** Files and bytes of one team. */
export interface FileUsage {
  readonly files: number;
  readonly bytes: number;
}
