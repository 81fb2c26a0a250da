/** The types of the tables of the console's sign-in, for kysely. Times are milliseconds since the epoch. */

export interface MemberSignInRow {
  member_id: string;
  /** The hash of the password with its parameters; null = the member has none. */
  password: string | null;
  /** The API key with which the member's sessions call /v1; null = not created yet. */
  api_key_id: string | null;
}

/** Who a member is for an OpenID Connect provider. */
export interface MemberIdentityRow {
  issuer: string;
  /** Identifies a person at the issuer for ever. */
  subject: string;
  member_id: string;
  create_time: number;
}

export interface SignInLinkRow {
  /** SHA-256 of the link's secret. */
  hash: Uint8Array;
  /** null: the link creates the first owner of the server. */
  member_id: string | null;
  expire_time: number;
}

/** A sign-in through the provider that a browser has come back from: it works once. */
export interface UsedSignInRow {
  /** SHA-256 of its state. */
  state_hash: Uint8Array;
  expire_time: number;
}

export interface ConsoleSessionRow {
  id: string;
  /** SHA-256 of the session's secret. */
  hash: Uint8Array;
  member_id: string;
  create_time: number;
  /** Accurate to a minute. */
  last_use_time: number;
  /** When it ends, however much it is used. */
  expire_time: number;
}
