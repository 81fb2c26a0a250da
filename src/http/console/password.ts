/** PUT /console/api/password: sets the password of the member who is signed in. */
import { z } from "zod";
import { parseFields } from "../../dialects/management/fields.js";
import { sessionRoute } from "../server/route.js";
import { presentNewSession, sessionSchema } from "./present.js";

const text = z.string().max(1024, "must have at most 1024 characters");

const requestSchema = z
  .object({ currentPassword: text, password: text.describe("10 to 256 characters.") })
  .meta({ id: "SetPasswordRequest", description: "The new password." });

/** Sets the password; all sessions of the member end, and a new one begins. */
export const setPassword = sessionRoute({
  method: "PUT",
  path: "/console/api/password",
  docs: {
    operation: "setPassword",
    tag: "Console",
    summary: "Set the password of the member",
    description: "All sessions of the member end; the answer has a new one.",
    body: requestSchema,
    example: { currentPassword: "correct horse battery staple", password: "another long pass phrase" },
    answers: { 200: { description: "The new session.", schema: sessionSchema } },
    errors: ["rate_limited", "overloaded"],
  },
  async handle({ ctx, body, signedIn }, { accounts }) {
    const request = parseFields(requestSchema, body);
    presentNewSession(ctx, await accounts.signIn.setPassword(signedIn, request, ctx.ip));
  },
});
