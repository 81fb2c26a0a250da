import type { Actor } from "./event.js";
import type { Manager } from "../management-keys/management-key.js";

/** The operator, who is no member: on whose behalf the command line and the settings act. */
const operatorId = "00000000-0000-0000-0000-000000000000";

/** Whoever may use the command line beside the database: sees all. */
export const cliActor: Actor = { id: "cli", userId: operatorId, teamId: null };

/** What a start makes by itself. */
export const serverActor: Actor = { id: "server", userId: operatorId, teamId: null };

/** The management key of a request, which sees its own team and no other. */
export function actorOf({ key }: Manager): Actor {
  return { id: key.id, userId: key.userId, teamId: key.teamId };
}

/** Whether things of that team exist for the actor. */
export function sees(actor: Actor, teamId: string): boolean {
  return actor.teamId === null || actor.teamId === teamId;
}
