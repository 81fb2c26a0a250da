import type { Write } from "../../store/write.js";
import type { Act } from "../../store/column-values.js";

export type { Act } from "../../store/column-values.js";

/** Who acts, and on what they may. */
export interface Actor {
  /** Id of a management key, `cli` at the command line, or `server` for what a start makes by itself. */
  readonly id: string;
  /** Member on whose behalf. */
  readonly userId: string;
  /** The one team whose things they see; null = all. */
  readonly teamId: string | null;
}

/** One act, told for good. Times are milliseconds since the epoch. */
export interface AuditEvent {
  readonly id: string;
  readonly time: number;
  /** Id of the actor. */
  readonly actor: string;
  readonly userId: string;
  /** Whose thing was acted on; null = the server's. */
  readonly teamId: string | null;
  readonly act: Act;
  readonly objectId: string;
  /** One sentence. */
  readonly description: string;
  /** The thing before and after, without secrets; null when there was none. */
  readonly before: AuditedFields | null;
  readonly after: AuditedFields | null;
}

/** Fields as JSON holds them. */
export type AuditedFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An event in its place: events of one millisecond are told apart by their order of writing. */
export interface StoredAuditEvent extends AuditEvent {
  readonly entry: number;
}

export type AuditPosition = Pick<StoredAuditEvent, "time" | "entry">;

/** Which events are asked for. */
export interface AuditQuery {
  /** null = those of all teams, and the server's own. */
  readonly teamId: string | null;
  readonly order: "ascending" | "descending";
  /** null = from the first in that order. */
  readonly after: AuditPosition | null;
  /** Earliest time, and the time before which; null = no bound. */
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
}

/** The log of acts: it only grows. */
export interface AuditStore {
  insertion(event: AuditEvent): Write;
  page(query: AuditQuery): Promise<readonly StoredAuditEvent[]>;
}
