/**
 * What an actor sees. This file alone decides it: every list, sum, export and page is narrowed to the scope of its actor, and what is
 * outside of the scope does not exist for the actor.
 *
 * 1. An actor of the whole server sees all teams, an actor of one team sees that team.
 * 2. An actor with the role `member` sees, of what API keys have and have used, only what belongs to the API keys that they created.
 */
import type { Actor } from "./audit/event.js";
import type { Manager } from "./principals/management-key.js";

/** What a query is narrowed to. */
export interface Scope {
  /** Only this team; null: all teams and the server. */
  readonly teamId: string | null;
  /** Only what belongs to API keys that this member created; null: to all keys. */
  readonly ownerId: string | null;
}

/** The scope of one team. */
export type TeamScope = Scope & { readonly teamId: string };

/** Returns the actor of a request. */
export function toActor({ key, member }: Manager): Actor {
  const actor = { id: key.id, userId: key.userId, teamId: key.teamId };
  return member?.role === "member" ? { ...actor, ownKeysOnly: true } : actor;
}

/**
 * Returns what the actor sees. Whether the actor sees the team that they ask for is not checked: `findScope` does.
 * @param asked the team of the request; null: all that the actor sees
 */
export function deriveScope(actor: Actor, asked: string): TeamScope;
export function deriveScope(actor: Actor, asked: string | null): Scope;
export function deriveScope(actor: Actor, asked: string | null): Scope {
  return { teamId: asked ?? actor.teamId, ownerId: actor.ownKeysOnly === true ? actor.userId : null };
}

/** Whether the actor sees a team and its objects. @param teamId null: the objects belong to the server */
export function canSee(actor: Actor, teamId: string | null): boolean {
  return actor.teamId === null || actor.teamId === teamId;
}

/**
 * Whether the actor sees an API key, or what belongs to one.
 * @param object its team, and the member who created its key; null: that is not known
 */
export function canSeeOwned(
  actor: Actor,
  { teamId, userId }: { readonly teamId: string; readonly userId: string | null },
): boolean {
  const { ownerId } = deriveScope(actor, teamId);
  return canSee(actor, teamId) && (ownerId === null || ownerId === userId);
}

/** Whether the actor manages the whole server: neither one team nor own API keys alone. */
export function isOperator(actor: Actor): boolean {
  const { teamId, ownerId } = deriveScope(actor, null);
  return teamId === null && ownerId === null;
}
