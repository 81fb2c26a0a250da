import type { Write } from "../../store/write.js";
import type { Role } from "../../store/column-values.js";

export type { Role } from "../../store/column-values.js";

/** From the one that may most. */
export const roles: readonly Role[] = ["owner", "admin", "member"];

/** Someone who manages. Times are milliseconds since the epoch. */
export interface Member {
  /** What keys and the audit log call `userId`. */
  readonly id: string;
  /** The one team that they belong to, for good; null = the whole server. */
  readonly teamId: string | null;
  /** No two members have one that is the same when folded. */
  readonly email: string;
  /** May be empty. */
  readonly givenName: string;
  readonly familyName: string;
  readonly role: Role;
  readonly createTime: number;
}

/** An e-mail address as it is compared: without case, and in one form of its letters. */
export function foldedEmail(email: string): string {
  return email.normalize("NFKC").toLowerCase();
}

/** Which members of a team are asked for. */
export interface MemberQuery {
  readonly teamId: string;
  /** Where the page goes on; null = from the first. */
  readonly after: { readonly createTime: number; readonly id: string } | null;
  readonly limit: number;
}

export interface MemberStore {
  /** A commit of it fails with `conflict` when a member has that e-mail already. */
  insertion(member: Member): Write;
  /**
   * What `before` becomes. A commit of it fails with `conflict` when the member is not as `before` any more, when another has
   * that e-mail, and when a team, or the server, that had an owner would have none.
   */
  replacement(before: Member, after: Member): Write;
  /**
   * From then on nobody is found by it but by `known`. A commit of it fails with `conflict` when the member is not as it was
   * read any more, and when a team, or the server, that had an owner would have none.
   */
  removal(member: Member, removeTime: number): Write;
  find(id: string): Promise<Member | null>;
  findByEmail(email: string): Promise<Member | null>;
  /** Those of these ids that are or were members. */
  known(ids: readonly string[]): Promise<readonly Member[]>;
  /** How many owners that team, or the server as a whole, has. */
  countOwners(teamId: string | null): Promise<number>;
  count(): Promise<number>;
  /** All, in order of creation. */
  list(): Promise<readonly Member[]>;
  /** In order of creation. */
  page(query: MemberQuery): Promise<readonly Member[]>;
}
