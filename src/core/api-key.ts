import type { Team } from "./team.js";

/** An API key as the server keeps it: never the secret, only its SHA-256. Times are milliseconds since the epoch. */
export interface ApiKey {
  readonly id: string;
  readonly teamId: string;
  /** Member who made it. */
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Uint8Array;
  /** `hk-...` and the last four characters. */
  readonly redacted: string;
  /** `api-key:endpoint:<name>` and `api-key:model:<name>`, `*` matching all; empty = every request fails. */
  readonly acls: readonly string[];
  readonly disabled: boolean;
  readonly blocked: boolean;
  readonly expireTime: number | null;
  readonly createTime: number;
  readonly modifyTime: number;
  readonly modifiedBy: string;
}

/** Who is asking: the key of a request and the team it belongs to. */
export interface Principal {
  readonly key: ApiKey;
  readonly team: Team;
}

export interface ApiKeyStore {
  /** @throws HearthError `conflict` when the hash or id exists already. */
  insert(key: ApiKey): Promise<void>;
  /** The key with that hash and its team, in one look-up. */
  findByHash(hash: Uint8Array): Promise<Principal | null>;
  find(id: string): Promise<ApiKey | null>;
  /** In order of creation; all teams when `teamId` is null. */
  list(teamId: string | null): Promise<readonly ApiKey[]>;
  /** @returns false when there was no such key. */
  delete(id: string): Promise<boolean>;
}
