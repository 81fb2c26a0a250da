/** PUT /console/api/password: sets the password of the member who is signed in. */
import { z } from "zod";
import type { HttpDeps } from "../../deps.js";
import { parseFields } from "../../management/fields.js";
import type { SessionCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { presentNewSession, sessionSchema } from "../present.js";

const text = z.string().max(1024, "must have at most 1024 characters");

const requestSchema = z
  .object({ currentPassword: text, password: text.describe("10 to 256 characters.") })
  .meta({ id: "SetPasswordRequest", description: "The new password." });

/** Sets the password; all sessions of the member end, and a new one begins. */
export function setPassword({ accounts }: Pick<HttpDeps, "accounts">): (call: SessionCall) => Promise<void> {
  return async ({ ctx, body, signedIn }) => {
    const request = parseFields(requestSchema, body);
    presentNewSession(ctx, await accounts.signIn.setPassword(signedIn, request, ctx.ip));
  };
}

export const setPasswordDocs: RouteDocs = {
  operation: "setPassword",
  tag: "Console",
  summary: "Set the password of the member",
  description: "All sessions of the member end; the answer has a new one.",
  body: requestSchema,
  example: { currentPassword: "correct horse battery staple", password: "another long pass phrase" },
  answers: { 200: { description: "The new session.", schema: sessionSchema } },
  errors: ["rate_limited", "overloaded"],
};
