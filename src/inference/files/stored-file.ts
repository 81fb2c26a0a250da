import type { StoredOwner } from "../stored-owner.js";
import type { FilePurpose } from "../../store/column-values.js";

export type { FilePurpose } from "../../store/column-values.js";

/** What a client may upload a file for. */
export const uploadPurposes = ["assistants", "batch", "user_data", "vision"] as const;

/** The purposes of files that clients see. */
export const visiblePurposes = [...uploadPurposes, "batch_output"] as const;

/** A file of a team; its content is on the disk. */
export interface StoredFile extends StoredOwner {
  /** `file-` and 32 hexadecimal digits; also the name of its content in the folder of files. */
  readonly id: string;
  readonly purpose: FilePurpose;
  /** The client's name of the file, which is shown and never used as a path. */
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  /** null = it is stored until it is deleted. */
  readonly expireTime: number | null;
}

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
