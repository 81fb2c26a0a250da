/** PUT and DELETE /auth/members/{memberId}: changes a member, or removes them and their management keys. Hearth's own. */
import { z } from "zod";
import { actorOf } from "../../accounts/audit/actors.js";
import { authoriseManager } from "../../accounts/management-keys/permissions.js";
import type { HttpDeps } from "../deps.js";
import { masked } from "../management/field-mask.js";
import { read } from "../management/fields.js";
import {
  changeableMember,
  clearedMember,
  memberFields,
  memberSchema,
  presentMember,
} from "../management/member.js";
import { nothing } from "../management/nothing.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const changeSchema = z
  .object({
    member: changeableMember.nullish(),
    fieldMask: z.string().nullish().describe("As for keys."),
  })
  .meta({
    id: "MemberChange",
    description: "What of a member is to change; without a mask, the fields that are set.",
  });

/** Changes a member. */
export function updateMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params, route }) => {
    const { member, fieldMask } = read(changeSchema, body);
    const change = masked(memberFields(member ?? {}), clearedMember, fieldMask);
    authoriseManager(manager, route.endpointAcl);
    const id = params["memberId"] ?? "";
    ctx.body = presentMember(await accounts.members.update(id, change, actorOf(manager)));
  };
}

/** Removes a member. */
export function deleteMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    await accounts.members.remove(params["memberId"] ?? "", actorOf(manager));
    ctx.body = {};
  };
}

const params = { memberId: "Id of a member." };

export const updateMemberDocs: RouteDocs = {
  operation: "updateMember",
  tag: "Accounts",
  summary: "Change a member",
  description: "The last owner of a team, or of the server, stays one.",
  params,
  body: changeSchema,
  example: { member: { role: "owner" }, fieldMask: "role" },
  answers: { 200: { description: "The member.", schema: memberSchema } },
  errors: ["conflict"],
};

export const deleteMemberDocs: RouteDocs = {
  operation: "deleteMember",
  tag: "Accounts",
  summary: "Remove a member",
  description: "Their management keys open nothing from then on. The last owner stays.",
  params,
  answers: { 200: { description: "They are gone.", schema: nothing } },
  errors: ["conflict"],
};
