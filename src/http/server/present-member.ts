/** Members in answers and requests of the management API. */
import { z } from "zod";
import type { MemberChange } from "../../accounts/members/members.js";
import { roles, type Member } from "../../accounts/principals/member.js";
import { responseObject } from "../../dialects/response-fields.js";
import { timeSchema, timestamp } from "../../dialects/management/answers.js";
import { definedFields } from "../../dialects/management/fields.js";

export const memberSchema = responseObject({
  memberId: z.string().describe("The `userId` of keys and audit events."),
  teamId: z.string().optional().describe("The team of the member; absent for a member of the whole server."),
  email: z.string(),
  givenName: z.string(),
  familyName: z.string(),
  role: z
    .enum(roles)
    .describe(
      "`owner` manages everything, `admin` manages keys, `member` reads, and manages keys of their own.",
    ),
  createTime: timeSchema,
}).meta({ id: "Member", description: "A person with management keys of their own." });

export type WireMember = z.infer<typeof memberSchema>;

/** Presents a member. */
export function presentMember(member: Member): WireMember {
  const { id, teamId, email, givenName, familyName, role, createTime } = member;
  return {
    memberId: id,
    teamId: teamId ?? undefined,
    email,
    givenName,
    familyName,
    role,
    createTime: timestamp(createTime),
  };
}

/** Fields in addition to the email address that can be set when a member is added and later. */
export const settableMemberFields = {
  givenName: z.string().nullish(),
  familyName: z.string().nullish(),
  role: z.enum(roles).nullish().describe("Default: `member`."),
};

export const memberChangeSchema = z.object({ ...settableMemberFields, email: z.string().nullish() });

/** Converts the fields that are set to a change of a member. */
export function toMemberChange(fields: z.infer<typeof memberChangeSchema>): MemberChange {
  const { email, givenName, familyName, role } = fields;
  return definedFields({ email, givenName, familyName, role });
}
