import type { Member } from "../members/member.js";
import type { Team } from "../teams/team.js";

/** A stored management key, without its secret. Times are milliseconds since the epoch. */
export interface ManagementKey {
  readonly id: string;
  /** The only team it can see; null = all teams. */
  readonly teamId: string | null;
  /** The member it belongs to; for a key without a member, the user who created it. */
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  /** `hm-...` and the last four characters. */
  readonly redacted: string;
  /** `team-token:endpoint:<name>`, `*` matching all. */
  readonly acls: readonly string[];
  readonly expireTime: number | null;
  /** IP addresses and CIDR ranges from which it may be used; null = any address. */
  readonly ipRanges: readonly string[] | null;
  /** Minute of last use that has been stored; null = never used. */
  readonly lastUseTime: number | null;
  readonly createTime: number;
  readonly modifyTime: number;
}

/** The management key that authenticates a request, with its team and member. */
export interface Manager {
  readonly key: ManagementKey;
  /** null = all teams. */
  readonly team: Team | null;
  /** null = the key belongs to no member: its ACLs alone decide what it may do. */
  readonly member: Member | null;
}
