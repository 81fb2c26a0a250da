import type { MemberRole } from "../../store/column-values.js";
import type { Row } from "../../store/tables.js";

export type { MemberRole } from "../../store/column-values.js";

/** Roles, the one with the most permissions first. */
export const roles: readonly MemberRole[] = ["owner", "admin", "member"];

/** A person who manages the server or a team. */
export type Member = Omit<Row<"members">, "emailFolded" | "removeTime">;

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
