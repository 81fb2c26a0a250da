import type { Row } from "../../store/tables.js";
import type { Member } from "./member.js";
import type { Team } from "./team.js";

/** A stored management key, without its secret. */
export type ManagementKey = Row<"managementKeys">;

/** The management key that authenticates a request, with its team and member. */
export interface Manager {
  readonly key: ManagementKey;
  /** null = all teams. */
  readonly team: Team | null;
  /** null = the key belongs to no member: its ACLs alone decide what it may do. */
  readonly member: Member | null;
}
