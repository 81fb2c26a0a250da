import type { Member } from "../members/member.js";
import type { Team } from "../teams/team.js";
import type { Write } from "../../store/write.js";

/** A key of the management plane, as the server keeps it. Times are milliseconds since the epoch. */
export interface ManagementKey {
  readonly id: string;
  /** The one team that it sees; null = all of this server. */
  readonly teamId: string | null;
  /** Member whose it is; of a key that is nobody's, who made it. */
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  /** `hm-...` and the last four characters. */
  readonly redacted: string;
  /** `team-token:endpoint:<name>`, `*` matching all. */
  readonly acls: readonly string[];
  readonly expireTime: number | null;
  /** Addresses and CIDR ranges that it may be used from; null = anywhere. */
  readonly ipRanges: readonly string[] | null;
  /** Minute in which it was last used, as far as that is written down; null = never. */
  readonly lastUseTime: number | null;
  readonly createTime: number;
  readonly modifyTime: number;
}

/** Who manages: the key of a request and the team that it is for. */
export interface Manager {
  readonly key: ManagementKey;
  /** null = all teams. */
  readonly team: Team | null;
  /** Whose key it is; null where it is nobody's: then its ACLs alone say what it may. */
  readonly member: Member | null;
}

export interface ManagementKeyStore {
  insertion(key: ManagementKey): Write;
  /** A commit of it fails with `conflict` when there is no such key any more. */
  removal(key: ManagementKey): Write;
  /** The key with that hash, its team and its member, in one look-up; a key of a member who was removed is not found. */
  findByHash(hash: Uint8Array): Promise<Manager | null>;
  /** In order of creation. */
  list(): Promise<readonly ManagementKey[]>;
}
