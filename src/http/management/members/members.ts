/** PUT and DELETE /auth/members/{memberId}, an extension: updates a member, or deletes them with their management keys. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import { parseFields } from "../../../dialects/management/fields.js";
import {
  memberChangeSchema,
  memberSchema,
  presentMember,
  toMemberChange,
} from "../../server/present-member.js";
import { emptySchema } from "../../../dialects/management/answers.js";
import { accountRoute } from "../../server/route.js";
import type { MemberChange } from "../../../accounts/members/members.js";

/** The values of fields that are not set. */
const unsetMember: Required<MemberChange> = {
  email: "",
  givenName: "",
  familyName: "",
  role: "member",
};

const requestSchema = z
  .object({
    member: memberChangeSchema.nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateMemberRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

const params = { memberId: "Id of a member." };

/** Updates a member. */
export const updateMember = accountRoute({
  method: "PUT",
  path: "/auth/members/:memberId",
  acl: "UpdateMember",
  docs: {
    operation: "updateMember",
    tag: "Accounts",
    summary: "Update a member",
    description: "The last owner of a team or of the server cannot get another role.",
    params,
    body: requestSchema,
    example: { member: { role: "owner" }, fieldMask: "role" },
    answers: { 200: { description: "The member.", schema: memberSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { member, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toMemberChange(member ?? {}), unsetMember, fieldMask);
    const id = params["memberId"] ?? "";
    ctx.body = presentMember(await accounts.members.update(id, change, toActor(manager)));
  },
});

/** Deletes a member. */
export const deleteMember = accountRoute({
  method: "DELETE",
  path: "/auth/members/:memberId",
  acl: "DeleteMember",
  docs: {
    operation: "deleteMember",
    tag: "Accounts",
    summary: "Delete a member",
    description: "The member's management keys stop working. The last owner cannot be deleted.",
    params,
    answers: { 200: { description: "The member is deleted.", schema: emptySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, params }, { accounts }) {
    await accounts.members.remove(params["memberId"] ?? "", toActor(manager));
    ctx.body = {};
  },
});
