import type { Row } from "../../store/tables.js";

/** A named list of ACLs. A key or a team that has the ACL `api-key:group:<name>` has the ACLs of the group. */
export type AccessGroup = Row<"accessGroups">;

/** How many API keys and teams have a group. */
export interface GroupUse {
  readonly keys: number;
  readonly teams: number;
}
