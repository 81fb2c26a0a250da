/** DELETE /console/api/sessions: signs the member out everywhere. */
import { emptySchema } from "../../dialects/management/answers.js";
import { sessionRoute } from "../server/route.js";
import { clearSessionCookie } from "../server/session-cookie.js";

/** Ends all sessions of the member. */
export const signOutEverywhere = sessionRoute({
  method: "DELETE",
  path: "/console/api/sessions",
  docs: {
    operation: "signOutEverywhere",
    tag: "Console",
    summary: "Sign out of all sessions of the member",
    answers: { 200: { description: "The sessions have ended.", schema: emptySchema } },
  },
  async handle({ ctx, signedIn }, { accounts }) {
    await accounts.signIn.endAll(signedIn);
    clearSessionCookie(ctx);
    ctx.body = {};
  },
});
