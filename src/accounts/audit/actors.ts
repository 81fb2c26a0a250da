import type { Actor } from "./event.js";
import type { Manager } from "../management-keys/management-key.js";

/** User id of the operator, who is not a member: the command line and the server act on their behalf. */
const operatorId = "00000000-0000-0000-0000-000000000000";

/** The user of the command line; sees all teams. */
export const cliActor: Actor = { id: "cli", userId: operatorId, teamId: null };

/** The server itself, which creates the first team and keys at start. */
export const serverActor: Actor = { id: "server", userId: operatorId, teamId: null };

/** The identity provider, whose groups create members and change their teams and roles. */
export const providerActor: Actor = { id: "oidc", userId: operatorId, teamId: null };

/** A person whose sign-in has failed: nobody knows who it is. */
export const visitorActor: Actor = { id: "visitor", userId: operatorId, teamId: null };

/** Returns the actor of a request. A management key with a team sees only that team, a `member` only API keys of their own. */
export function actorOf({ key, member }: Manager): Actor {
  const actor = { id: key.id, userId: key.userId, teamId: key.teamId };
  return member?.role === "member" ? { ...actor, ownKeysOnly: true } : actor;
}

/** Whether the actor can see the team and its objects. */
export function canSee(actor: Actor, teamId: string): boolean {
  return actor.teamId === null || actor.teamId === teamId;
}

/** Whether the actor can see an API key. */
export function canSeeKey(actor: Actor, key: { readonly teamId: string; readonly userId: string }): boolean {
  return canSee(actor, key.teamId) && (actor.ownKeysOnly !== true || actor.userId === key.userId);
}
