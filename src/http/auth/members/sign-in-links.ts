/** POST /auth/members/{memberId}/sign-in-links, an extension: makes the link with which a new member chooses a password. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import { responseObject } from "../../../dialects/response-fields.js";
import type { HttpDeps } from "../../deps.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

export const signInLinkSchema = responseObject({
  link: z
    .string()
    .describe(
      "The secret of the link, which works once within 24 hours. The page is `/console#link=` and it.",
    ),
}).meta({ id: "SignInLink" });

/** Makes a link; a former one of the member ends. */
export function createSignInLink({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    const link = await accounts.signInLinks.invite(params["memberId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof signInLinkSchema> = { link };
    ctx.set("cache-control", "no-store");
    ctx.body = answer;
  };
}

export const createSignInLinkDocs: RouteDocs = {
  operation: "createSignInLink",
  tag: "Accounts",
  summary: "Make a sign-in link for a new member",
  description: "For a member who has a password, `hearth members reset` makes one and ends their sessions.",
  params: { memberId: "Id of a member without a password." },
  answers: { 200: { description: "The link.", schema: signInLinkSchema } },
  errors: ["conflict"],
};
