import type { AuditAction, AuditedFields } from "../../store/column-values.js";

export type { AuditAction, AuditedFields } from "../../store/column-values.js";

/** Who makes a change, and which teams they can see. */
export interface Actor {
  /**
   * Id of a management key or of a session of the console, `cli` for the command line, `server` for changes at server start, `oidc` for
   * the identity provider, or `visitor` for a person who is not signed in.
   */
  readonly id: string;
  /** The member on whose behalf the change is made. */
  readonly userId: string;
  /** The only team they can see; null = all teams. */
  readonly teamId: string | null;
  /** true: of API keys, they can see only those that they created. */
  readonly ownKeysOnly?: true;
}

/** What the audit log records, in addition to the time and the actor. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly objectId: string;
  /** Team that owns the changed object; null = the server. */
  readonly teamId: string | null;
  /** One sentence. */
  readonly description: string;
  /** The object before and after the change, without secrets; null when it did not exist. */
  readonly before: AuditedFields | null;
  readonly after: AuditedFields | null;
}

/** One entry of the audit log. Times are milliseconds since the epoch. */
export interface AuditEvent extends AuditEntry {
  readonly id: string;
  readonly time: number;
  /** Id of the actor. */
  readonly actor: string;
  readonly userId: string;
}

/** Returns a time as the audit log shows it: RFC 3339 in UTC. @param time milliseconds since the epoch. */
export function auditedTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** The position of a stored event in the log. `entry` orders events of the same millisecond. */
export interface AuditPosition {
  readonly time: number;
  readonly entry: number;
}

export type StoredAuditEvent = AuditEvent & AuditPosition;

/** A page of the audit log. */
export interface AuditQuery {
  /** null = the events of all teams and of the server. */
  readonly teamId: string | null;
  readonly order: "ascending" | "descending";
  /** The page starts after this event; null = at the first one in that order. */
  readonly after: AuditPosition | null;
  /** Events at `from` or later and before `to`; null = no bound. */
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
}
