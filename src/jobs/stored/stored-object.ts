/** What teams have stored, of every kind, as it is listed. Times are milliseconds since the epoch. */
import type { StoredOwner } from "../../inference/stored-owner.js";

export const storedKinds = [
  "deferred-completions",
  "responses",
  "chat-completions",
  "batches",
  "files",
] as const;

export type StoredKind = (typeof storedKinds)[number];

export interface StoredObject extends StoredOwner {
  readonly kind: StoredKind;
  readonly id: string;
  /** As its API has it; null for kinds without states. */
  readonly state: string | null;
  /** For a response: whether it is processed in the background. */
  readonly background: boolean | null;
  readonly model: string | null;
  /** For a file. */
  readonly filename: string | null;
  readonly purpose: string | null;
  readonly bytes: number | null;
  /** For a batch: the route of its requests. */
  readonly endpoint: string | null;
  readonly lines: StoredLines | null;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly createTime: number;
  readonly endTime: number | null;
  /** When it is deleted; of a batch that has not ended, when it ends at the latest; null = it stays. */
  readonly expireTime: number | null;
}

/** The requests of a batch. */
interface StoredLines {
  readonly total: number;
  readonly succeeded: number;
  readonly errored: number;
  /** Not answered because the batch expired or was cancelled. */
  readonly dropped: number;
}

/** Where a page starts: after this object. */
export interface StoredPosition {
  /** What orders objects of a kind; the newest has the highest. */
  readonly place: number;
  readonly id: string;
}

export interface StoredQuery {
  readonly kind: StoredKind;
  readonly teamId: string;
  /** Only what is stored for keys that they created; null = all. */
  readonly userId: string | null;
  /** Only those in this state; null = all. */
  readonly state: string | null;
  /** Only responses that are (not) processed in the background; null = all. */
  readonly background: boolean | null;
  /** In the ID, the name of a file or the model of a chat completion, whatever the case of ASCII letters; null = all. */
  readonly text: string | null;
  readonly after: StoredPosition | null;
  readonly limit: number;
}

export interface StoredPage {
  /** The newest first. */
  readonly objects: readonly StoredObject[];
  /** Where the next page starts; null when this is the last one. */
  readonly next: StoredPosition | null;
}

/** Whether it is being worked on and can be cancelled. */
export function canCancel({ kind, state, background }: StoredObject): boolean {
  if (kind === "deferred-completions") return state === "pending";
  if (kind === "responses") return background === true && isAmong(state, ["queued", "in_progress"]);
  return kind === "batches" && isAmong(state, ["validating", "in_progress"]);
}

/** Whether it can be deleted now: a batch must have ended. */
export function canDelete({ kind, endTime }: StoredObject): boolean {
  return kind !== "batches" || endTime !== null;
}

function isAmong(state: string | null, states: readonly string[]): boolean {
  return state !== null && states.includes(state);
}
