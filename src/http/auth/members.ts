/** PUT and DELETE /auth/members/{memberId}, an extension: updates a member, or deletes them with their management keys. */
import { z } from "zod";
import { actorOf } from "../../accounts/visibility.js";
import type { HttpDeps } from "../deps.js";
import { applyFieldMask, fieldMaskField } from "../management/field-mask.js";
import { parseFields } from "../management/fields.js";
import {
  memberChangeSchema,
  unsetMember,
  toMemberChange,
  memberSchema,
  presentMember,
} from "../management/member.js";
import { emptySchema } from "../management/nothing.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

type Handler = (call: ManagementCall) => Promise<void>;

const requestSchema = z
  .object({
    member: memberChangeSchema.nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateMemberRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

/** Updates a member. */
export function updateMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, body, params }) => {
    const { member, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toMemberChange(member ?? {}), unsetMember, fieldMask);
    const id = params["memberId"] ?? "";
    ctx.body = presentMember(await accounts.members.update(id, change, actorOf(manager)));
  };
}

/** Deletes a member. */
export function deleteMember({ accounts }: Pick<HttpDeps, "accounts">): Handler {
  return async ({ ctx, manager, params }) => {
    await accounts.members.remove(params["memberId"] ?? "", actorOf(manager));
    ctx.body = {};
  };
}

const params = { memberId: "Id of a member." };

export const updateMemberDocs: RouteDocs = {
  operation: "updateMember",
  tag: "Accounts",
  summary: "Update a member",
  description: "The last owner of a team or of the server cannot get another role.",
  params,
  body: requestSchema,
  example: { member: { role: "owner" }, fieldMask: "role" },
  answers: { 200: { description: "The member.", schema: memberSchema } },
  errors: ["conflict"],
};

export const deleteMemberDocs: RouteDocs = {
  operation: "deleteMember",
  tag: "Accounts",
  summary: "Delete a member",
  description: "The member's management keys stop working. The last owner cannot be deleted.",
  params,
  answers: { 200: { description: "The member is deleted.", schema: emptySchema } },
  errors: ["conflict"],
};
