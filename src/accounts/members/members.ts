/**
 * Members, who manage: how whoever may makes, reads, changes and removes them. It owns what a member may become, and that
 * nobody's last owner goes; every change stands in the audit log. What a member's key may do is in management-permissions.ts.
 */
import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKeyStore } from "../management-keys/management-key.js";
import { foldedEmail, type Member, type MemberQuery, type MemberStore } from "./member.js";
import type { TeamStore } from "../teams/team.js";
import {
  auditedMember,
  carryOut,
  managementKeyRemoval,
  persistently,
  telling,
  type ActsDeps,
} from "../audit/audited-change.js";
import { sees } from "../audit/actors.js";
import { meant } from "../resolve-reference.js";
import { checkEmail, checkPersonName } from "../field-rules.js";
import { teamSeen } from "../teams/teams.js";

/** What a new member should be. */
export interface MemberWish {
  /** null = of the whole server. */
  readonly teamId: string | null;
  readonly email: string;
  /** Empty when left out. */
  readonly givenName?: string;
  readonly familyName?: string;
  /** `member` when left out. */
  readonly role?: Member["role"];
}

/** What a member should become; what is left out stays. */
export type MemberChange = Partial<Pick<Member, "email" | "givenName" | "familyName" | "role">>;

/** A member whom the actor does not see is answered for like one who does not exist. */
export interface MemberService {
  /** @throws HearthError `invalid_value` naming the field, `not_found` for the team, `conflict` when the e-mail is a member's or there are too many. */
  create(wish: MemberWish, actor: Actor): Promise<Member>;
  /** All, in order of creation. */
  list(): Promise<readonly Member[]>;
  /** Those of one team, in order of creation. @throws HearthError `not_found` when there is no such team. */
  page(query: MemberQuery, actor: Actor): Promise<readonly Member[]>;
  /** @throws HearthError `not_found`, `invalid_value` naming the field, `conflict` when the e-mail is another's, or none would be owner. */
  update(id: string, change: MemberChange, actor: Actor): Promise<Member>;
  /** Removes a member, and their management keys. @throws HearthError `not_found`, `conflict` when none would be owner. */
  remove(id: string, actor: Actor): Promise<Member>;
  /** The one that a person means by id or e-mail. @throws HearthError `not_found` when none is meant, `conflict` when more than one is. */
  meant(reference: string): Promise<Member>;
}

export interface MemberServiceDeps extends ActsDeps {
  readonly members: MemberStore;
  readonly managementKeys: ManagementKeyStore;
  readonly teams: TeamStore;
}

const membersMax = 10_000;

/** Builds the service over its ports. */
export function createMemberService(deps: MemberServiceDeps): MemberService {
  const { members, teams } = deps;
  return {
    create: (wish, actor) => persistently(() => create(deps, wish, actor)),
    list: () => members.list(),
    async page(query, actor) {
      await teamSeen(teams, query.teamId, actor);
      return members.page(query);
    },
    update: (id, change, actor) => persistently(() => update(deps, id, change, actor)),
    remove: (id, actor) => persistently(() => remove(deps, id, actor)),
    async meant(reference) {
      const folded = foldedEmail(reference);
      return meant("member", reference, await members.list(), ({ email }) => foldedEmail(email) === folded);
    },
  };
}

async function create(deps: MemberServiceDeps, wish: MemberWish, actor: Actor): Promise<Member> {
  const { members, teams, clock, random } = deps;
  const { teamId, givenName = "", familyName = "", role = "member" } = wish;
  if (teamId !== null) await teamSeen(teams, teamId, actor);
  const [id, createTime] = [random.id(), clock.now()];
  const member: Member = { id, teamId, email: wish.email, givenName, familyName, role, createTime };
  check(member);
  await seeThatNobodyHas(deps, member);
  if ((await members.count()) >= membersMax)
    throw new HearthError("conflict", `There are ${membersMax} members already, and no more can be made.`);
  await carryOut(deps, actor, {
    act: "CreateMember",
    objectId: member.id,
    teamId,
    description: `Added the member '${member.email}'`,
    before: null,
    after: auditedMember(member),
    change: members.insertion(member),
  });
  return member;
}

async function update(
  deps: MemberServiceDeps,
  id: string,
  change: MemberChange,
  actor: Actor,
): Promise<Member> {
  const before = await findSeen(deps, id, actor);
  const after = { ...before, ...change };
  check(after);
  await seeThatNobodyHas(deps, after);
  if (after.role !== "owner") await seeThatOthersOwn(deps, before);
  await carryOut(deps, actor, {
    act: "UpdateMember",
    objectId: id,
    teamId: before.teamId,
    description: `Updated the member '${before.email}'`,
    before: auditedMember(before),
    after: auditedMember(after),
    change: deps.members.replacement(before, after),
  });
  return after;
}

async function remove(deps: MemberServiceDeps, id: string, actor: Actor): Promise<Member> {
  const { members, managementKeys, writes, clock } = deps;
  const member = await findSeen(deps, id, actor);
  await seeThatOthersOwn(deps, member);
  const keys = (await managementKeys.list()).filter(({ userId }) => userId === id);
  const told = {
    act: "DeleteMember",
    objectId: id,
    teamId: member.teamId,
    description: `Removed the member '${member.email}'`,
    before: auditedMember(member),
    after: null,
  } as const;
  await writes.commit([
    members.removal(member, clock.now()),
    telling(deps, actor, told),
    ...keys.flatMap((key) => [managementKeys.removal(key), telling(deps, actor, managementKeyRemoval(key))]),
  ]);
  return member;
}

async function findSeen({ members }: MemberServiceDeps, id: string, actor: Actor): Promise<Member> {
  const member = await members.find(id);
  const isSeen =
    member !== null && (actor.teamId === null || (member.teamId !== null && sees(actor, member.teamId)));
  if (!isSeen) throw new HearthError("not_found", "Cannot find member", { param: "memberId" });
  return member;
}

function check({ email, givenName, familyName }: Member): void {
  checkEmail(email);
  checkPersonName("givenName", givenName);
  checkPersonName("familyName", familyName);
}

async function seeThatNobodyHas({ members }: MemberServiceDeps, { id, email }: Member): Promise<void> {
  const other = await members.findByEmail(email);
  if (other !== null && other.id !== id)
    throw new HearthError("conflict", "There is a member with this e-mail already.", { param: "email" });
}

/** The operator, at the command line, can still make another owner first. */
async function seeThatOthersOwn({ members }: MemberServiceDeps, { role, teamId }: Member): Promise<void> {
  if (role !== "owner" || (await members.countOwners(teamId)) > 1) return;
  const of = teamId === null ? "the server" : "the team";
  throw new HearthError("conflict", `This is the last owner of ${of}: make somebody else an owner first.`);
}
