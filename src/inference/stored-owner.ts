import type { Principal } from "../accounts/principals/api-key.js";

/** Who something is stored for. */
export interface StoredOwner {
  readonly teamId: string;
  /** Who created the API key of its request; null for what is older than this field. */
  readonly userId: string | null;
}

/** Returns the owner of what a request stores. */
export function toStoredOwner({ team, key }: Principal): StoredOwner {
  return { teamId: team.id, userId: key.userId };
}
