/** Members of a team. */
import type { z } from "zod";
import type { signInLinkSchema } from "../../http/management/members/sign-in-links.js";
import type { memberSchema } from "../../http/server/present-member.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type Member = z.infer<typeof memberSchema>;

/** The command line and the server act as this user, who is no member. */
export const operatorId = "00000000-0000-0000-0000-000000000000";

export interface MemberSettings {
  readonly email: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly role: Member["role"];
}

const membersPerPage = 50;

export async function listMembers(
  teamId: string,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<Member>> {
  const answer = await get<{ members: readonly Member[]; paginationToken?: string }>(
    `/auth/teams/${teamId}/members`,
    { pageSize: membersPerPage, paginationToken: token },
    signal,
  );
  return { items: answer.members, next: answer.paginationToken };
}

/** Most members whose names are looked up. */
const namedMax = 1000;

/** Returns the e-mails of the members of a team, by their ids. */
export async function listEmails(teamId: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { members } = await get<{ members: readonly Member[] }>(
    `/auth/teams/${teamId}/members`,
    { pageSize: namedMax },
    signal,
  );
  return new Map(members.map(({ memberId, email }) => [memberId, email]));
}

export function addMember(teamId: string, settings: MemberSettings): Promise<Member> {
  return request("POST", `/auth/teams/${teamId}/members`, { body: settings });
}

export function updateMember(memberId: string, member: MemberSettings): Promise<Member> {
  return request("PUT", `/auth/members/${memberId}`, {
    body: { member, fieldMask: Object.keys(member).join() },
  });
}

export function removeMember(memberId: string): Promise<unknown> {
  return request("DELETE", `/auth/members/${memberId}`);
}

/** Makes a link with which a member without a password signs in. @returns its address */
export async function inviteMember(memberId: string): Promise<string> {
  const { link } = await request<z.infer<typeof signInLinkSchema>>(
    "POST",
    `/auth/members/${memberId}/sign-in-links`,
  );
  return `${location.origin}/console#link=${link}`;
}
