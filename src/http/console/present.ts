/** Sessions in answers of the console's own routes. */
import { z } from "zod";
import type { NewSession, SignedIn } from "../../accounts/sessions/session.js";
import { responseObject } from "../../dialects/response-fields.js";
import type { Context } from "../server/context.js";
import { memberSchema, presentMember } from "../server/present-member.js";
import { timeSchema, timestamp } from "../../dialects/management/answers.js";
import { writeSessionCookie } from "../server/session-cookie.js";

export const sessionSchema = responseObject({
  member: memberSchema,
  teamName: z.string().optional().describe("Absent for a member of the whole server."),
  createTime: timeSchema,
  expireTime: timeSchema.describe("When the session ends, however much it is used."),
}).meta({ id: "ConsoleSession", description: "The session of the member who is signed in." });

export type WireSession = z.infer<typeof sessionSchema>;

export function presentSession({ session, member, team }: SignedIn): WireSession {
  return {
    member: presentMember(member),
    teamName: team?.name,
    createTime: timestamp(session.createTime),
    expireTime: timestamp(session.expireTime),
  };
}

/** Sets the cookie of a session that has begun. */
export function writeNewSession(ctx: Context, { session, secret }: NewSession): void {
  writeSessionCookie(ctx, secret, session.expireTime - session.createTime);
}

/** Answers with a session that has begun, and sets its cookie. */
export function presentNewSession(ctx: Context, begun: NewSession): void {
  writeNewSession(ctx, begun);
  ctx.set("cache-control", "no-store");
  ctx.body = presentSession(begun);
}
