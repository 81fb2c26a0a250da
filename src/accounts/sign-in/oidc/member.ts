/** Finds the member of a person at the provider, links an existing one, or creates one. */
import { providerActor } from "../../audit/actors.js";
import { auditedMember, auditEntry } from "../../audit/audited-change.js";
import type { Member } from "../../principals/member.js";
import { memberKeyDisablings, memberKeyRemovals, type MemberKeyDeps } from "../../members/member-keys.js";
import { membersMax } from "../../members/members.js";
import type { MemberStore } from "../../members/store.js";
import type { Write } from "../../../store/writes.js";
import type { Person } from "./person.js";
import type { Place } from "./place.js";
import { OidcRefusal, type OidcError } from "./refusal.js";
import type { Identity, IdentityStore } from "../../sessions/store/identities.js";

export interface OidcMemberDeps extends MemberKeyDeps {
  readonly members: MemberStore;
  readonly identities: IdentityStore;
}

/** A member as they are after the writes. */
interface PreparedMember {
  readonly member: Member;
  readonly writes: readonly Write[];
}

/**
 * Prepares the member of a person, to be committed with their session. In each case the place, which comes from the groups, decides the team
 * and the role:
 * 1. the member with this identity;
 * 2. an existing member with this e-mail address, if the provider has verified it. Others may have made them, in any team, and may have
 *    signed in as them: their password, their link, their sessions and their management keys end, and their API keys are disabled;
 * 3. a new one. An identity whose member was removed makes none: somebody decided so.
 * @throws OidcRefusal
 */
export async function prepareMember(
  deps: OidcMemberDeps,
  person: Person,
  place: Place,
): Promise<PreparedMember> {
  const { members, identities } = deps;
  const identity = await identities.find(person.issuer, person.subject);
  const known = identity === null ? null : await members.find(identity.memberId);
  if (identity !== null && known !== null) return moved(deps, known, place);
  const other = await members.findByEmail(person.email);
  if (other !== null) return linked(deps, { before: other, person, place }, identity);
  if (identity !== null) throw refusal("member_removed", person);
  return created(deps, person, place);
}

function refusal(reason: OidcError, { subject }: Person, member?: Member): OidcRefusal {
  return new OidcRefusal(reason, { subject, member });
}

/** Gives a member the team and the role of the place. */
async function moved(deps: OidcMemberDeps, before: Member, place: Place): Promise<PreparedMember> {
  const member: Member = { ...before, ...place };
  const leaves = before.teamId !== member.teamId;
  if (!leaves && before.role === member.role) return { member, writes: [] };
  const { members } = deps;
  const endsOwnership = before.role === "owner" && (leaves || member.role !== "owner");
  if (endsOwnership && (await members.countOwners(before.teamId)) <= 1)
    throw new OidcRefusal("last_owner", { member: before });
  const entry = auditEntry(deps, providerActor, {
    action: "UpdateMember",
    objectId: member.id,
    teamId: member.teamId,
    description: `Updated the member '${member.email}' by their groups`,
    before: auditedMember(before),
    after: auditedMember(member),
  });
  // Keys of the former team would let the member in again.
  const removals = leaves ? await memberKeyRemovals(deps, member.id, providerActor) : [];
  return { member, writes: [members.replacement(before, member), entry, ...removals] };
}

/** @param former the identity of a member who was removed and has been added again; null: there was none */
async function linked(
  deps: OidcMemberDeps,
  { before, person, place }: { readonly before: Member; readonly person: Person; readonly place: Place },
  former: Identity | null,
): Promise<PreparedMember> {
  const { identities, members, signIns } = deps;
  // Who may choose any address at the provider could take over any member.
  if (!person.hasVerifiedEmail) throw refusal("email_unverified", person, before);
  const others = await identities.ofMember(before.id);
  const hasAnother = others.some(({ issuer }) => issuer === person.issuer);
  if (hasAnother || !isSameAddress(before.email, person.email))
    throw refusal("linked_otherwise", person, before);
  const member: Member = { ...before, ...place };
  await refuseWithoutOperator(deps, before, member);
  const { password } = await signIns.findSignIn(before.id);
  const entry = auditEntry(deps, providerActor, {
    action: "LinkMember",
    objectId: member.id,
    teamId: member.teamId,
    description: `Linked the member '${member.email}' with the identity provider; their password, link and sessions ended`,
    before: { ...auditedMember(before), hasPassword: password !== null },
    after: { ...auditedMember(member), hasPassword: false, issuer: person.issuer, subject: person.subject },
  });
  const removals = await memberKeyRemovals(deps, member.id, providerActor);
  const disablings = await memberKeyDisablings(deps, member.id, providerActor);
  return {
    member,
    writes: [
      members.replacement(before, member, { mayLeaveTeamWithoutOwner: true }),
      ...signIns.accessRemovals(member.id),
      ...removals,
      ...disablings,
      identities.write(createIdentity(deps, member, person), former),
      entry,
    ],
  };
}

/**
 * Refuses to take the last owner from the server. A team may lose its last one: the person who made the member an owner there must not keep the
 * person out.
 */
async function refuseWithoutOperator(
  { members }: OidcMemberDeps,
  before: Member,
  after: Member,
): Promise<void> {
  const isOperator = ({ role, teamId }: Member): boolean => role === "owner" && teamId === null;
  if (isOperator(before) && !isOperator(after) && (await members.countOwners(null)) <= 1)
    throw new OidcRefusal("last_owner", { member: before });
}

/**
 * Whether a verified address belongs to a member. Members are compared in a folded form, in which other letters look the same: a person
 * who has such an address at the provider is somebody else.
 */
function isSameAddress(one: string, other: string): boolean {
  const isAscii = /^[\x21-\x7e]+$/.test(one + other);
  return isAscii ? one.toLowerCase() === other.toLowerCase() : one === other;
}

async function created(deps: OidcMemberDeps, person: Person, place: Place): Promise<PreparedMember> {
  const { members, identities, clock, random } = deps;
  if ((await members.count()) >= membersMax) throw refusal("too_many_members", person);
  const { email, givenName, familyName, issuer, subject } = person;
  const member: Member = { id: random.id(), email, givenName, familyName, ...place, createTime: clock.now() };
  const entry = auditEntry(deps, providerActor, {
    action: "CreateMember",
    objectId: member.id,
    teamId: member.teamId,
    description: `Added the member '${email}' by their groups`,
    before: null,
    after: { ...auditedMember(member), issuer, subject },
  });
  const identity = createIdentity(deps, member, person);
  return { member, writes: [members.insertion(member), identities.write(identity, null), entry] };
}

function createIdentity({ clock }: OidcMemberDeps, member: Member, person: Person): Identity {
  const { issuer, subject } = person;
  return { issuer, subject, memberId: member.id, createTime: clock.now() };
}
