/** GET and DELETE /console/api/session: returns who is signed in, and signs out. */
import type { HttpDeps } from "../../deps.js";
import { emptySchema } from "../../management/nothing.js";
import type { SessionCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { clearSessionCookie } from "../cookie.js";
import { presentSession, sessionSchema } from "../present.js";

/** Returns the session of the request. */
export function getSession({ ctx, signedIn }: SessionCall): void {
  ctx.set("cache-control", "no-store");
  ctx.body = presentSession(signedIn);
}

/** Ends the session of the request. */
export function signOut({ accounts }: Pick<HttpDeps, "accounts">): (call: SessionCall) => Promise<void> {
  return async ({ ctx, signedIn }) => {
    await accounts.signIn.end(signedIn);
    clearSessionCookie(ctx);
    ctx.body = {};
  };
}

export const getSessionDocs: RouteDocs = {
  operation: "getConsoleSession",
  tag: "Console",
  summary: "Get the member who is signed in",
  answers: { 200: { description: "The session.", schema: sessionSchema } },
};

export const signOutDocs: RouteDocs = {
  operation: "signOut",
  tag: "Console",
  summary: "Sign out of the console",
  answers: { 200: { description: "The session has ended.", schema: emptySchema } },
};
