/** A member as the management plane tells them, and as they are wished for. */
import { z } from "zod";
import type { MemberChange } from "../../accounts/members/members.js";
import { roles, type Member } from "../../accounts/members/member.js";
import { shape } from "../../dialects/shape.js";
import { time, timestamp } from "./timestamp.js";
import { set } from "./fields.js";

export const memberSchema = shape({
  memberId: z.string().describe("What keys and the audit log call `userId`."),
  teamId: z.string().optional().describe("The team that they belong to; not there for the whole server."),
  email: z.string(),
  givenName: z.string(),
  familyName: z.string(),
  role: z.enum(roles).describe("`owner` manages everything, `admin` keys, `member` reads."),
  createTime: time,
}).meta({ id: "Member", description: "Someone who manages, with management keys of their own." });

/** Presents a member. */
export function presentMember(member: Member): z.infer<typeof memberSchema> {
  const { id, teamId, email, givenName, familyName, role, createTime } = member;
  return {
    memberId: id,
    ...(teamId === null ? {} : { teamId }),
    email,
    givenName,
    familyName,
    role,
    createTime: timestamp(createTime),
  };
}

/** What of a member can be set beside the e-mail, when they are added and later. */
export const settableOfMember = {
  givenName: z.string().nullish(),
  familyName: z.string().nullish(),
  role: z.enum(roles).nullish().describe("`member` when it is not set."),
};

export const changeableMember = z.object({ ...settableOfMember, email: z.string().nullish() });

/** What is set, in the accounts' own terms. */
export function memberFields(wish: z.infer<typeof changeableMember>): MemberChange {
  const { email, givenName, familyName, role } = wish;
  return set({ email, givenName, familyName, role });
}

/** What is not set. */
export const clearedMember: Required<MemberChange> = {
  email: "",
  givenName: "",
  familyName: "",
  role: "member",
};
