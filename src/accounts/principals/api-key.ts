import type { SpendLabels } from "./spend-labels.js";
import type { Team } from "./team.js";
import type { Row } from "../../store/tables.js";
import type { TeamReading } from "./team-reading.js";

/** A stored API key: the hash of its secret, never the secret. src/store/tables/accounts.ts describes its fields. */
export type ApiKey = Row<"apiKeys">;

/** The API key that authenticates a request, and its team. */
export interface Principal {
  readonly key: ApiKey;
  readonly team: Team;
  /** What was read of the team together with the key; absent: nothing. */
  readonly teamHas?: TeamReading;
  /** When that was read, in milliseconds of the monotonic clock; absent: it is not known. */
  readonly readAt?: number;
  /** ACLs of the access groups that the ACLs of the key and the team name, by name; absent: they name none that exists. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
  /** What the request is counted for besides; absent: nothing. Before its body is parsed, only what its header names. */
  readonly labels?: SpendLabels;
}

/** The position of a key in the order of creation. */
interface KeyPosition {
  readonly createTime: number;
  readonly id: string;
}

/** A page of a team's keys. */
export interface KeyQuery {
  readonly teamId: string;
  /** Only keys that this user created; null = all. */
  readonly userId: string | null;
  /** The page starts after this key; null = at the first one. */
  readonly after: KeyPosition | null;
  /** Only keys that have all of these ACLs. */
  readonly acls: readonly string[];
  /** Only keys whose name or redacted form contains this text, whatever the case of ASCII letters; null = all. */
  readonly text: string | null;
  /** Only keys that have not expired at this time; null = all. */
  readonly unexpiredAt: number | null;
  readonly limit: number;
}
