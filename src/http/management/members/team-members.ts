/** POST and GET /auth/teams/{teamId}/members, an extension: adds a member to a team, lists its members in pages. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { parseFields } from "../../../dialects/management/fields.js";
import {
  memberSchema,
  presentMember,
  settableMemberFields,
  toMemberChange,
} from "../../server/present-member.js";
import { createPages } from "../../../dialects/management/pages.js";
import { managementRoute } from "../../server/route.js";

const requestSchema = z
  .object({ email: z.string(), ...settableMemberFields })
  .meta({ id: "CreateMemberRequest", description: "The member to add." });

const pages = createPages(z.string());

const querySchema = z.object(pages.query);

const pageSchema = responseObject({
  members: responseArray(memberSchema).describe("In order of creation."),
  ...pages.answer,
}).meta({ id: "MemberPage" });

const params = { teamId: "Id of a team that the management key may manage." };

/** Adds a member. */
export const createMember = managementRoute({
  method: "POST",
  path: "/auth/teams/:teamId/members",
  acl: "CreateMember",
  docs: {
    operation: "createMember",
    tag: "Accounts",
    summary: "Add a member to a team",
    description:
      "Members use management keys of their own, which the operator creates. The email address must be unique.",
    params,
    body: requestSchema,
    example: { email: "ada@example.com", givenName: "Ada", role: "admin" },
    answers: { 200: { description: "The member.", schema: memberSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const request = parseFields(requestSchema, body);
    const member = await accounts.members.create(
      { ...toMemberChange(request), email: request.email, teamId: params["teamId"] ?? "" },
      toActor(manager),
    );
    ctx.body = presentMember(member);
  },
});

/** Lists a page of members. */
export const listMembers = managementRoute({
  method: "GET",
  path: "/auth/teams/:teamId/members",
  acl: "ListMembers",
  docs: {
    operation: "listMembers",
    tag: "Accounts",
    summary: "List the members of a team",
    params,
    query: querySchema,
    answers: { 200: { description: "One page of members.", schema: pageSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const query = parseFields(querySchema, ctx.query);
    const { limit, after } = pages.read(query);
    const found = await accounts.members.page(
      {
        teamId: params["teamId"] ?? "",
        after: after === null ? null : { createTime: after[0], id: after[1] },
        limit: limit + 1,
      },
      toActor(manager),
    );
    const { items, ...next } = pages.cut(found, limit, ({ createTime, id }) => [createTime, id]);
    const answer: z.infer<typeof pageSchema> = { members: items.map(presentMember), ...next };
    ctx.body = answer;
  },
});
