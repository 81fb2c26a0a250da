import type { Role } from "../../store/column-values.js";

export type { Role } from "../../store/column-values.js";

/** Roles, the one with the most permissions first. */
export const roles: readonly Role[] = ["owner", "admin", "member"];

/** A person who manages the server or a team. Times are milliseconds since the epoch. */
export interface Member {
  /** Keys and the audit log call it `userId`. */
  readonly id: string;
  /** The team they belong to, which only the identity provider changes; null = the whole server. */
  readonly teamId: string | null;
  /** Unique among members after `foldEmail`. */
  readonly email: string;
  /** May be empty. */
  readonly givenName: string;
  readonly familyName: string;
  readonly role: Role;
  readonly createTime: number;
}

/** Returns the form in which e-mail addresses are compared: lower case and Unicode-normalized (NFKC). */
export function foldEmail(email: string): string {
  return email.normalize("NFKC").toLowerCase();
}

/** A page of a team's members. */
export interface MemberQuery {
  readonly teamId: string;
  /** The page starts after this member; null = at the first one. */
  readonly after: { readonly createTime: number; readonly id: string } | null;
  readonly limit: number;
}
