/** GET and DELETE /console/api/session, DELETE /console/api/sessions: returns who is signed in, and signs out, here or everywhere. */
import { emptySchema } from "../../dialects/management/answers.js";
import { sessionRoute } from "../server/route.js";
import { clearSessionCookie } from "../server/session-cookie.js";
import { presentSession, sessionSchema } from "./present.js";

/** Returns the session of the request. */
export const getSession = sessionRoute({
  method: "GET",
  path: "/console/api/session",
  docs: {
    operation: "getConsoleSession",
    tag: "Console",
    summary: "Get the member who is signed in",
    answers: { 200: { description: "The session.", schema: sessionSchema } },
  },
  handle({ ctx, signedIn }) {
    ctx.set("cache-control", "no-store");
    ctx.body = presentSession(signedIn);
  },
});

/** Ends the session of the request. */
export const signOut = sessionRoute({
  method: "DELETE",
  path: "/console/api/session",
  docs: {
    operation: "signOut",
    tag: "Console",
    summary: "Sign out of the console",
    answers: { 200: { description: "The session has ended.", schema: emptySchema } },
  },
  async handle({ ctx, signedIn }, { accounts }) {
    await accounts.signIn.end(signedIn);
    clearSessionCookie(ctx);
    ctx.body = {};
  },
});

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
