import type { Actor } from "./event.js";

/** User id of the operator, who is not a member: the command line and the server act on their behalf. */
export const operatorId = "00000000-0000-0000-0000-000000000000";

/** The user of the command line; sees all teams. */
export const cliActor: Actor = { id: "cli", userId: operatorId, teamId: null };

/** The server itself, which creates the first team and keys at start. */
export const serverActor: Actor = { id: "server", userId: operatorId, teamId: null };

/** The identity provider, whose groups create members and change their teams and roles. */
export const providerActor: Actor = { id: "oidc", userId: operatorId, teamId: null };

/** A person whose sign-in has failed: nobody knows who it is. */
export const visitorActor: Actor = { id: "visitor", userId: operatorId, teamId: null };
