import type { Row } from "../../store/tables.js";
import type { Manager } from "../principals/management-key.js";
import { allManagementAcls } from "../principals/manager-permissions.js";
import type { Member } from "../principals/member.js";
import type { Team } from "../principals/team.js";

/** A stored session of the console, without its secret. */
export type Session = Row<"consoleSessions">;

/** The session of a request, with its member. */
export interface SignedIn {
  readonly session: Session;
  readonly member: Member;
  /** null: the member is one of the whole server. */
  readonly team: Team | null;
}

/** A session that has just begun. */
export interface NewSession extends SignedIn {
  /** It is not stored and cannot be shown again. */
  readonly secret: string;
}

/**
 * Returns the manager whose permissions management routes check: as for a management key of the member with all
 * ACLs, so that the role and the team decide.
 */
export function toManager({ session, member, team }: SignedIn): Manager {
  const key = {
    id: session.id,
    teamId: member.teamId,
    userId: member.id,
    name: "console",
    hash: session.hash,
    redacted: "",
    acls: allManagementAcls,
    expireTime: session.expireTime,
    ipRanges: null,
    lastUseTime: session.lastUseTime,
    createTime: session.createTime,
    modifyTime: session.createTime,
  };
  return { key, team, member };
}
