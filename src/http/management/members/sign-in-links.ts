/** POST /auth/members/{memberId}/sign-in-links, an extension: makes the link with which a new member chooses a password. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { managementRoute } from "../../server/route.js";

const signInLinkSchema = responseObject({
  link: z
    .string()
    .describe(
      "The secret of the link, which works once within 24 hours. The page is `/console#link=` and it.",
    ),
}).meta({ id: "SignInLink" });

export type WireSignInLink = z.infer<typeof signInLinkSchema>;

/** Makes a link; a former one of the member ends. */
export const createSignInLink = managementRoute({
  method: "POST",
  path: "/auth/members/:memberId/sign-in-links",
  acl: "UpdateMember",
  takesBody: false,
  docs: {
    operation: "createSignInLink",
    tag: "Accounts",
    summary: "Make a sign-in link for a new member",
    description: "For a member who has a password, `hearth members reset` makes one and ends their sessions.",
    params: { memberId: "Id of a member without a password." },
    answers: { 200: { description: "The link.", schema: signInLinkSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const link = await accounts.signInLinks.invite(params["memberId"] ?? "", toActor(manager));
    const answer: WireSignInLink = { link };
    ctx.set("cache-control", "no-store");
    ctx.body = answer;
  },
});
