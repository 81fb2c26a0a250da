/** POST and GET /auth/teams/{teamId}/members, an extension: adds a member to a team, lists its members in pages. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import type { HttpDeps } from "../../deps.js";
import { parseFields } from "../../management/fields.js";
import {
  toMemberChange,
  memberSchema,
  presentMember,
  settableMemberFields,
} from "../../management/member.js";
import {
  itemsPerPage,
  pageSizeField,
  encodePageToken,
  pageTokenField,
  decodePageToken,
  nextPageField,
} from "../../management/pages.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const requestSchema = z
  .object({ email: z.string(), ...settableMemberFields })
  .meta({ id: "CreateMemberRequest", description: "The member to add." });

const querySchema = z.object({ pageSize: pageSizeField, paginationToken: pageTokenField });

const pageSchema = responseObject({
  members: responseArray(memberSchema).describe("In order of creation."),
  paginationToken: nextPageField,
}).meta({ id: "MemberPage" });

/** Adds a member. */
export function createMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params }) => {
    const request = parseFields(requestSchema, body);
    const member = await accounts.members.create(
      { ...toMemberChange(request), email: request.email, teamId: params["teamId"] ?? "" },
      actorOf(manager),
    );
    ctx.body = presentMember(member);
  };
}

/** Lists a page of members. */
export function listMembers({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params }) => {
    const query = parseFields(querySchema, ctx.query);
    const position = decodePageToken(query.paginationToken, z.string(), "paginationToken");
    const limit = itemsPerPage(query.pageSize);
    const after = position === null ? null : { createTime: position[0], id: position[1] };
    const found = await accounts.members.page(
      { teamId: params["teamId"] ?? "", after, limit: limit + 1 },
      actorOf(manager),
    );
    const members = found.slice(0, limit);
    const last = found.length > limit ? members.at(-1) : undefined;
    const answer: z.infer<typeof pageSchema> = {
      members: members.map(presentMember),
      ...(last === undefined ? {} : { paginationToken: encodePageToken([last.createTime, last.id]) }),
    };
    ctx.body = answer;
  };
}

const params = { teamId: "Id of a team that the management key may manage." };

export const createMemberDocs: RouteDocs = {
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
};

export const listMembersDocs: RouteDocs = {
  operation: "listMembers",
  tag: "Accounts",
  summary: "List the members of a team",
  params,
  query: querySchema,
  answers: { 200: { description: "One page of members.", schema: pageSchema } },
};
