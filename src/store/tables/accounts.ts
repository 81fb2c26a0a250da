/** The tables of teams, keys, members, sign-in and the audit log. */
import type { Generated } from "kysely";
import type { AuditAction, AuditedFields, BillingMode, MemberRole } from "../column-values.js";

export interface AccountTables {
  teams: {
    id: string;
    name: string;
    billing: BillingMode;
    blocked: boolean;
    /** Share of a busy model relative to other teams, 1 to 1000. */
    weight: number;
    createTime: number;
    /** What its keys may do at most; null: everything. */
    acls: readonly string[] | null;
    /** Whether the log of requests keeps what its requests read and write. */
    keepsBodies: boolean;
    /** The form in which names are compared; null until a server has started once with this column. */
    nameFolded: string | null;
  };
  teamLimits: {
    teamId: string;
    /** Or `*`, `total` or `each-end-user`. */
    model: string;
    qps: number | null;
    qpm: number | null;
    tpm: number | null;
  };
  accessGroups: {
    /** 1 to 64 letters, digits, dots, hyphens and underscores. */
    name: string;
    description: string;
    /** ACLs of endpoints and models; groups contain no groups. */
    acls: readonly string[];
    createTime: number;
    modifyTime: number;
  };
  /** API keys: the hash of a secret, never the secret. */
  apiKeys: {
    id: string;
    teamId: string;
    /** The member who created it. */
    userId: string;
    name: string;
    /** SHA-256 of the secret, 32 bytes. */
    hash: Uint8Array;
    /** `hk-...` and the last four characters. */
    redacted: string;
    /** `api-key:endpoint:<name>` and `api-key:model:<name>`, `*` matching all; with an empty list every request is refused. */
    acls: readonly string[];
    /** Set by the team. */
    disabled: boolean;
    /** Set by the operator. */
    blocked: boolean;
    /** null: never. */
    expireTime: number | null;
    createTime: number;
    modifyTime: number;
    modifiedBy: string;
    /** Requests per second, requests per minute and tokens per minute; null: no limit. */
    qps: number | null;
    qpm: number | null;
    tpm: number | null;
    /** Requests per minute and tokens per minute of each end user; null: no limit. */
    endUserQpm: number | null;
    endUserTpm: number | null;
    /** SHA-256 of the secret before the last rotation; null when the key was never rotated. */
    previousHash: Uint8Array | null;
    /** When the secret before the last rotation stops working; null exactly when there is none. */
    previousExpireTime: number | null;
    /** IP addresses and CIDR ranges from which it may be used; null: any address. */
    ipRanges: readonly string[] | null;
    /** The minute of last use, which a statement of its own writes; null: never used. */
    lastUseTime: Generated<number | null>;
  };
  /** What stays of a deleted API key. A trigger inserts it. */
  removedKeys: {
    id: string;
    teamId: string;
    /** The member who created it; empty: not known. */
    userId: string;
    /** null: not known. */
    name: string | null;
  };
  managementKeys: {
    id: string;
    /** The only team it can see; null: all teams. */
    teamId: string | null;
    /** The member it belongs to; for a key without a member, the user who created it. */
    userId: string;
    name: string;
    /** SHA-256 of the secret, 32 bytes. */
    hash: Uint8Array;
    /** `hm-...` and the last four characters. */
    redacted: string;
    /** `team-token:endpoint:<name>`, `*` matching all. */
    acls: readonly string[];
    expireTime: number | null;
    createTime: number;
    modifyTime: number;
    /** IP addresses and CIDR ranges from which it may be used; null: any address. */
    ipRanges: readonly string[] | null;
    /** The minute of last use, which a statement of its own writes; null: never used. */
    lastUseTime: Generated<number | null>;
  };
  members: {
    /** Keys and the audit log call it `userId`. */
    id: string;
    /** The team they belong to, which only the identity provider changes; null: the whole server. */
    teamId: string | null;
    email: string;
    /** The form in which addresses are compared: unique among members. */
    emailFolded: string;
    /** May be empty. */
    givenName: string;
    familyName: string;
    role: MemberRole;
    createTime: number;
    /** null: not removed. */
    removeTime: number | null;
  };
  memberSignIns: {
    memberId: string;
    /** The hash of the password with its parameters; null: the member has none. */
    password: string | null;
    /** The API key with which the member's sessions call /v1; null: not created yet. */
    apiKeyId: string | null;
  };
  /** Who a member is for an OpenID Connect provider. */
  memberIdentities: {
    issuer: string;
    /** Identifies a person at the issuer permanently. */
    subject: string;
    memberId: string;
    createTime: number;
  };
  signInLinks: {
    /** SHA-256 of the link's secret. */
    hash: Uint8Array;
    /** null: the link creates the first owner of the server. */
    memberId: string | null;
    expireTime: number;
  };
  /** Sign-ins through the provider from which a browser has come back: each works once. */
  usedSignIns: {
    /** SHA-256 of its state. */
    stateHash: Uint8Array;
    expireTime: number;
  };
  consoleSessions: {
    id: string;
    /** SHA-256 of the session's secret. */
    hash: Uint8Array;
    memberId: string;
    createTime: number;
    /** Accurate to a minute. */
    lastUseTime: number;
    /** When it ends, however much it is used. */
    expireTime: number;
  };
  auditEvents: {
    /** Grows with every insert. */
    entry: Generated<number>;
    id: string;
    time: number;
    actor: string;
    userId: string;
    teamId: string | null;
    act: AuditAction;
    objectId: string;
    description: string;
    objectBefore: AuditedFields | null;
    objectAfter: AuditedFields | null;
  };
}
