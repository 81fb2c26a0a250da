/** DELETE /console/api/sessions: signs the member out everywhere. */
import type { HttpDeps } from "../../deps.js";
import { emptySchema } from "../../management/nothing.js";
import type { SessionCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { clearSessionCookie } from "../cookie.js";

/** Ends all sessions of the member. */
export function signOutEverywhere({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: SessionCall) => Promise<void> {
  return async ({ ctx, signedIn }) => {
    await accounts.signIn.endAll(signedIn);
    clearSessionCookie(ctx);
    ctx.body = {};
  };
}

export const signOutEverywhereDocs: RouteDocs = {
  operation: "signOutEverywhere",
  tag: "Console",
  summary: "Sign out of all sessions of the member",
  answers: { 200: { description: "The sessions have ended.", schema: emptySchema } },
};
