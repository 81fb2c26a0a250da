/** POST and GET /auth/teams/{teamId}/members: adds a member to a team, lists its members page by page. Hearth's own. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import { read } from "../../management/fields.js";
import { memberFields, memberSchema, presentMember, settableOfMember } from "../../management/member.js";
import { pageItems, pageSizeField, pageToken, pageTokenField, placeOf } from "../../management/pages.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const wishSchema = z
  .object({ email: z.string(), ...settableOfMember })
  .meta({ id: "MemberWish", description: "A member to be added." });

const querySchema = z.object({ pageSize: pageSizeField, paginationToken: pageTokenField });

const pageSchema = shape({
  members: shapes(memberSchema).describe("In order of creation."),
  paginationToken: z.string().optional().describe("Of the next page; not there on the last."),
}).meta({ id: "MemberPage" });

/** Adds a member. */
export function createMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const wish = read(wishSchema, body);
    authoriseManager(manager, route.endpointAcl);
    const member = await accounts.members.create(
      { ...memberFields(wish), email: wish.email, teamId: params["teamId"] ?? "" },
      actorOf(manager),
    );
    ctx.body = presentMember(member);
  };
}

/** Lists a page of members. */
export function listMembers({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params, route }) => {
    const query = read(querySchema, ctx.query);
    const place = placeOf(query.paginationToken, z.string(), "paginationToken");
    authoriseManager(manager, route.endpointAcl);
    const limit = pageItems(query.pageSize);
    const after = place === null ? null : { createTime: place[0], id: place[1] };
    const found = await accounts.members.page(
      { teamId: params["teamId"] ?? "", after, limit: limit + 1 },
      actorOf(manager),
    );
    const members = found.slice(0, limit);
    const last = found.length > limit ? members.at(-1) : undefined;
    const answer: z.infer<typeof pageSchema> = {
      members: members.map(presentMember),
      ...(last === undefined ? {} : { paginationToken: pageToken([last.createTime, last.id]) }),
    };
    ctx.body = answer;
  };
}

const params = { teamId: "Id of a team that the management key is for." };

export const createMemberDocs: RouteDocs = {
  operation: "createMember",
  tag: "Accounts",
  summary: "Add a member to a team",
  description:
    "A member manages with management keys of their own, which the operator makes; no two have one e-mail.",
  params,
  body: wishSchema,
  example: { email: "ada@example.com", givenName: "Ada", role: "admin" },
  answers: { 200: { description: "The member.", schema: memberSchema } },
  errors: ["conflict"],
};

export const memberListDocs: RouteDocs = {
  operation: "listMembers",
  tag: "Accounts",
  summary: "List the members of a team",
  params,
  query: querySchema,
  answers: { 200: { description: "One page of members.", schema: pageSchema } },
};
