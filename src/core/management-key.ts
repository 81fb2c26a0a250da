import type { Team } from "./team.js";
import type { Write } from "./write.js";

/** A key of the management plane, as the server keeps it. Times are milliseconds since the epoch. */
export interface ManagementKey {
  readonly id: string;
  /** The one team that it sees; null = all of this server. */
  readonly teamId: string | null;
  /** Member who made it. */
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  /** `hm-...` and the last four characters. */
  readonly redacted: string;
  /** `team-token:endpoint:<name>`, `*` matching all. */
  readonly acls: readonly string[];
  readonly expireTime: number | null;
  readonly createTime: number;
  readonly modifyTime: number;
}

/** Who manages: the key of a request and the team that it is for. */
export interface Manager {
  readonly key: ManagementKey;
  /** null = all teams. */
  readonly team: Team | null;
}

export interface ManagementKeyStore {
  insertion(key: ManagementKey): Write;
  /** A commit of it fails with `conflict` when there is no such key any more. */
  removal(key: ManagementKey): Write;
  /** The key with that hash and its team, in one look-up. */
  findByHash(hash: Uint8Array): Promise<Manager | null>;
  /** In order of creation. */
  list(): Promise<readonly ManagementKey[]>;
}
