/** Members of the server and of all teams, and their sign-in links, as commands of the operator use them. */
import { z } from "zod";
import { formatSignInLink } from "../../../accounts/sign-in/links.js";
import { toActor } from "../../../accounts/visibility.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { presentMember, settableMemberFields, toMemberChange } from "../../server/present-member.js";
import type { OperatorRoute } from "../../server/route.js";

const requestSchema = z.object({
  ...settableMemberFields,
  email: z.string(),
  teamId: z.string().nullish(),
});

/** Adds a member to a team, or without one to the server. */
export const createOperatorMember: OperatorRoute = {
  method: "POST",
  path: "/operator/members",
  async handle({ ctx, manager, body }, { accounts }) {
    const request = parseFields(requestSchema, body);
    const { email, teamId = null } = request;
    const member = { ...toMemberChange(request), email, teamId };
    ctx.body = presentMember(await accounts.members.create(member, toActor(manager)));
  },
};

export const listOperatorMembers: OperatorRoute = {
  method: "GET",
  path: "/operator/members",
  async handle({ ctx }, { accounts }) {
    ctx.body = { members: (await accounts.members.list()).map(presentMember) };
  },
};

const linkSchema = z.object({
  /** Without a member, the link creates the first owner of the server. */
  member: z.string().nullish(),
  /** Whether the password of the member is removed and their sessions end. */
  reset: z.boolean().nullish(),
});

export const createOperatorLink: OperatorRoute = {
  method: "POST",
  path: "/operator/sign-in-links",
  async handle({ ctx, manager, body }, { accounts, linkBase }) {
    const { member: reference, reset } = parseFields(linkSchema, body);
    const { members, signInLinks } = accounts;
    const member = reference == null ? null : await members.resolve(reference);
    const actor = toActor(manager);
    const secret =
      member !== null && reset === true
        ? await signInLinks.reset(member, actor)
        : await signInLinks.create(member, actor);
    ctx.body = { link: formatSignInLink(linkBase(), secret) };
  },
};
