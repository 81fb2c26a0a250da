/** /console/api/sign-in: lists the ways to sign in, and begins a session by e-mail and password or by a link that works once. */
import { z } from "zod";
import { invalid } from "../../accounts/field-rules.js";
import type { NewSession } from "../../accounts/sessions/session.js";
import { responseObject } from "../../dialects/response-fields.js";
import type { AppContext } from "../server/app-context.js";
import { parseFields } from "../../dialects/management/fields.js";
import { pageRoute } from "../server/route.js";
import { readSessionCookie } from "../server/session-cookie.js";
import { presentNewSession, sessionSchema } from "./present.js";

const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);

const requestSchema = z
  .object({
    email: text(254).nullish().describe("With a link: only for the first owner of the server."),
    password: text(1024).nullish().describe("With a link, the new password."),
    link: text(128).nullish().describe("What follows `#link=` in a sign-in link."),
  })
  .meta({ id: "SignInRequest", description: "`email` and `password`, or a `link`." });

function begin(
  { signIn }: AppContext["accounts"],
  { email, password, link }: z.infer<typeof requestSchema>,
  address: string,
): Promise<NewSession> {
  if (link != null)
    return signIn.withLink({ link, email: email ?? null, password: password ?? null }, address);
  if (email == null) throw invalid("email", "is needed");
  if (password == null) throw invalid("password", "is needed");
  return signIn.withPassword({ email, password }, address);
}

const signInWaysSchema = responseObject({
  password: z.literal(true).describe("E-mail and password, or a sign-in link."),
  oidc: responseObject({
    name: z.string().describe("What the button says."),
    path: z.literal("/console/oidc/start").describe("Where a link leads."),
  })
    .optional()
    .describe("The identity provider; absent without one."),
}).meta({ id: "SignInWays", description: "The ways to sign in." });

export type SignInWays = z.infer<typeof signInWaysSchema>;

/** Returns the ways to sign in, to visitors. */
export const listSignInWays = pageRoute({
  method: "GET",
  path: "/console/api/sign-in",
  docs: {
    operation: "listSignInWays",
    tag: "Console",
    summary: "List the ways to sign in",
    answers: { 200: { description: "The ways.", schema: signInWaysSchema } },
  },
  handle({ ctx }, app) {
    const { oidc } = app.accounts;
    ctx.set("cache-control", "no-store");
    const provider = oidc === null ? undefined : { name: oidc.name, path: "/console/oidc/start" };
    ctx.body = { password: true, oidc: provider };
  },
});

/** Signs a member in. A session that the request has already ends. */
export const signIn = pageRoute({
  method: "POST",
  path: "/console/api/sign-in",
  docs: {
    operation: "signIn",
    tag: "Console",
    summary: "Sign in to the console",
    body: requestSchema,
    example: { email: "ada@example.com", password: "correct horse battery staple" },
    answers: { 200: { description: "The session; its secret is in a cookie.", schema: sessionSchema } },
    errors: ["bad_credential", "rate_limited", "overloaded", "conflict"],
  },
  async handle({ ctx, body }, { accounts }) {
    const begun = await begin(accounts, parseFields(requestSchema, body), ctx.ip);
    const former = await accounts.signIn.find(readSessionCookie(ctx)).catch(() => null);
    if (former !== null) await accounts.signIn.end(former);
    presentNewSession(ctx, begun);
  },
});
