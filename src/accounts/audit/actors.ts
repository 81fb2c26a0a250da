import type { Actor } from "./event.js";
import type { Manager } from "../management-keys/management-key.js";

/** User id of the operator, who is not a member: the command line and the server act on their behalf. */
const operatorId = "00000000-0000-0000-0000-000000000000";

/** The user of the command line; sees all teams. */
export const cliActor: Actor = { id: "cli", userId: operatorId, teamId: null };

/** The server itself, which creates the first team and keys at start. */
export const serverActor: Actor = { id: "server", userId: operatorId, teamId: null };

/** Returns the actor of a request. A management key with a team sees only that team. */
export function actorOf({ key }: Manager): Actor {
  return { id: key.id, userId: key.userId, teamId: key.teamId };
}

/** Whether the actor can see the team and its objects. */
export function canSee(actor: Actor, teamId: string): boolean {
  return actor.teamId === null || actor.teamId === teamId;
}
