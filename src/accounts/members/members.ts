/**
 * Creates, reads, changes and removes members. The server and every team that has an owner keep at least one. Every change is
 * audited.
 */
import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { foldEmail, type Member, type MemberQuery } from "../principals/member.js";
import { memberKeyRemovals, type MemberKeyDeps } from "./member-keys.js";
import type { IdentityStore } from "../sessions/store/identities.js";
import type { MemberStore } from "./store.js";
import type { TeamStore } from "../teams/store.js";
import { auditedMember, commitAudited, retryOnConflict, auditEntry } from "../audit/audited-change.js";
import { canSee } from "../visibility.js";
import { resolveReference } from "../../core/resolve-reference.js";
import { checkEmail, checkPersonName, invalid } from "../field-rules.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import { isPlain } from "../names.js";
import { findVisibleTeam } from "../teams/teams.js";

interface CreateMemberRequest {
  /** null = the whole server. */
  readonly teamId: string | null;
  readonly email: string;
  /** Names are empty when absent. */
  readonly givenName?: string;
  readonly familyName?: string;
  /** `member` when absent. */
  readonly role?: Member["role"];
}

/** A change of a member; absent fields stay as they are. */
export type MemberChange = Partial<Pick<Member, "email" | "givenName" | "familyName" | "role">>;

/** A member that the actor cannot see is treated as one that does not exist. */
export type MemberService = ReturnType<typeof createMemberService>;

interface MemberServiceDeps extends MemberKeyDeps {
  readonly members: MemberStore;
  readonly teams: TeamStore;
  readonly identities: IdentityStore;
}

/** Members of the server. */
export const membersMax = 10_000;

export function createMemberService(deps: MemberServiceDeps) {
  const { members, teams } = deps;
  return {
    /**
     * @throws HearthError `invalid_value` naming the field, `not_found` when the team does not exist, `conflict` when another
     * member has the e-mail address or there are too many members.
     */
    create: (request: CreateMemberRequest, actor: Actor): Promise<Member> =>
      retryOnConflict(() => create(deps, request, actor)),
    /** Returns all members in order of creation. */
    list: (): Promise<readonly Member[]> => members.list(),
    /** Returns members of a team in order of creation. @throws HearthError `not_found` when the team does not exist. */
    async page(query: MemberQuery, actor: Actor): Promise<readonly Member[]> {
      await findVisibleTeam(teams, query.teamId, actor);
      return members.page(query);
    },
    /**
     * @throws HearthError `not_found`, `invalid_value` naming the field, `conflict` when another member has the e-mail address
     * or the last owner would lose that role, `permission_denied` when an actor of a single team changes the e-mail address of a member
     * who signs in by an identity provider.
     */
    update: (id: string, change: MemberChange, actor: Actor): Promise<Member> =>
      retryOnConflict(() => update(deps, id, change, actor)),
    /**
     * Removes a member with their management keys and what they sign in with; their sessions end.
     * @throws HearthError `not_found`, `conflict` when the member is the last owner.
     */
    remove: (id: string, actor: Actor): Promise<Member> => retryOnConflict(() => remove(deps, id, actor)),
    /**
     * Returns the member with this id, start of an id, or e-mail address.
     * @throws HearthError `not_found` when there is none, `conflict` when there are several.
     */
    async resolve(reference: string): Promise<Member> {
      const folded = foldEmail(reference);
      return resolveReference(
        "member",
        reference,
        await members.list(),
        ({ email }) => foldEmail(email) === folded,
        ({ email }) => email,
      );
    },
  };
}

async function create(deps: MemberServiceDeps, request: CreateMemberRequest, actor: Actor): Promise<Member> {
  const { members, teams, clock, random } = deps;
  const { teamId, email, givenName = "", familyName = "", role = "member" } = request;
  if (teamId !== null) await findVisibleTeam(teams, teamId, actor);
  const member: Member = {
    id: random.id(),
    teamId,
    email,
    givenName,
    familyName,
    role,
    createTime: clock.now(),
  };
  check(member);
  checkPlain(member);
  await checkEmailIsFree(deps, member);
  if ((await members.count()) >= membersMax)
    throw new HearthError("conflict", `There are ${membersMax} members already; no more can be created.`);
  await commitAudited(deps, actor, {
    action: "CreateMember",
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
  const before = await findVisibleMember(deps.members, id, actor);
  const after = { ...before, ...change };
  check(after);
  if (after.email !== before.email) await checkNewEmail(deps, after, actor);
  await checkEmailIsFree(deps, after);
  if (after.role !== "owner") await checkOtherOwners(deps, before);
  await commitAudited(deps, actor, {
    action: "UpdateMember",
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
  const { members, signIns, writes, clock } = deps;
  const member = await findVisibleMember(members, id, actor);
  await checkOtherOwners(deps, member);
  const entry = {
    action: "DeleteMember",
    objectId: id,
    teamId: member.teamId,
    description: `Removed the member '${member.email}'`,
    before: auditedMember(member),
    after: null,
  } as const;
  await writes.commit([
    members.removal(member, clock.now()),
    auditEntry(deps, actor, entry),
    ...(await memberKeyRemovals(deps, id, actor)),
    ...signIns.memberRemovals(id),
  ]);
  return member;
}

/** Returns a member that the actor can see. @throws HearthError `not_found`. */
export async function findVisibleMember(members: MemberStore, id: string, actor: Actor): Promise<Member> {
  const member = await members.find(id);
  if (member === null || !canSee(actor, member.teamId))
    throw new HearthError("not_found", "Cannot find member", { param: "memberId" });
  return member;
}

function check({ email, givenName, familyName }: Member): void {
  checkEmail(email);
  checkPersonName("givenName", givenName);
  checkPersonName("familyName", familyName);
}

/** Checks that no other address looks the same: a person's address at the provider is the plain one. */
function checkPlain({ email }: Member): void {
  if (!isPlain(email))
    throw invalid("email", "must not have letters in an unusual form, or invisible characters");
}

/** Checks a changed address. If it belonged to a member who signs in by a provider, another person could sign in as them. */
async function checkNewEmail({ identities }: MemberServiceDeps, member: Member, actor: Actor): Promise<void> {
  checkPlain(member);
  if (actor.teamId !== null && (await identities.ofMember(member.id)).length > 0)
    throw deniedToTeamKey("change the e-mail address of a member who signs in through the identity provider");
}

async function checkEmailIsFree({ members }: MemberServiceDeps, { id, email }: Member): Promise<void> {
  const other = await members.findByEmail(email);
  if (other !== null && other.id !== id)
    throw new HearthError("conflict", "Another member has this e-mail address.", { param: "email" });
}

/** Checks that a team or the server keeps an owner without this member. */
async function checkOtherOwners({ members }: MemberServiceDeps, { role, teamId }: Member): Promise<void> {
  if (role !== "owner" || (await members.countOwners(teamId)) > 1) return;
  const of = teamId === null ? "the server" : "the team";
  throw new HearthError("conflict", `This is the last owner of ${of}: make another member an owner first.`);
}
