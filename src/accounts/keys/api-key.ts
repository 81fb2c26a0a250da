import type { Team } from "../teams/team.js";
import type { Write } from "../../store/write.js";

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
  /** Requests per second, requests and tokens per minute that it may make; null = no limit of its own. */
  readonly qps: number | null;
  readonly qpm: number | null;
  readonly tpm: number | null;
  /** SHA-256 of the secret before the last rotation; null when there is none. */
  readonly previousHash: Uint8Array | null;
  /** When the secret before the last rotation ceases to open anything; null exactly when there is none. */
  readonly previousExpireTime: number | null;
  /** Addresses and CIDR ranges that it may be used from; null = anywhere. */
  readonly ipRanges: readonly string[] | null;
  /** Minute in which it was last used, as far as that is written down; null = never. */
  readonly lastUseTime: number | null;
  readonly createTime: number;
  readonly modifyTime: number;
  readonly modifiedBy: string;
}

/** Who is asking: the key of a request and the team it belongs to. */
export interface Principal {
  readonly key: ApiKey;
  readonly team: Team;
}

/** Where a page of keys goes on: after the key of this time and id. */
export interface KeyPosition {
  readonly createTime: number;
  readonly id: string;
}

/** Which keys of a team are asked for. */
export interface KeyQuery {
  readonly teamId: string;
  /** null = from the first. */
  readonly after: KeyPosition | null;
  /** Only keys that hold each of these ACL strings. */
  readonly acls: readonly string[];
  /** Only keys that have not expired at this time; null = all. */
  readonly unexpiredAt: number | null;
  readonly limit: number;
}

export interface ApiKeyStore {
  /** @throws HearthError `conflict` when the hash or id exists already. */
  insert(key: ApiKey): Promise<void>;
  insertion(key: ApiKey): Write;
  /**
   * What `before` becomes; a commit of it fails with `conflict` when the key is not as `before` any more. When it was last used
   * is no part of that, and stays.
   */
  replacement(before: ApiKey, after: ApiKey): Write;
  /** A commit of it fails with `conflict` when the key is not as it was read any more. */
  removal(key: ApiKey): Write;
  /** The key with that hash, or with that hash before its last rotation, and its team, in one look-up. */
  findByHash(hash: Uint8Array): Promise<Principal | null>;
  find(id: string): Promise<ApiKey | null>;
  /** Whether there is any. */
  isEmpty(): Promise<boolean>;
  /** Keys with that id, an id that begins so, or that redacted form, in order of id. */
  like(reference: string, limit: number): Promise<readonly ApiKey[]>;
  /** In order of creation; all teams when `teamId` is null. */
  list(teamId: string | null): Promise<readonly ApiKey[]>;
  /** In order of creation. */
  page(query: KeyQuery): Promise<readonly ApiKey[]>;
}
