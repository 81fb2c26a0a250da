/** Makes the links with which a member signs in once: to set a first password, or a new one. Every link is audited. */
import { auditedMember, auditEntry, type AuditDeps } from "../audit/audited-change.js";
import type { Actor } from "../audit/event.js";
import { hashSecret } from "../credentials/secret.js";
import { HearthError } from "../../core/errors.js";
import type { Random } from "../../core/random.js";
import type { Member } from "../principals/member.js";
import { findVisibleMember } from "../members/members.js";
import type { MemberStore } from "../members/store.js";
import type { SignInStore } from "../sessions/store/sessions.js";
import type { Write } from "../../store/writes.js";

/** How long a link can be used. */
const linkMs = 24 * 60 * 60 * 1000;
/** 256 bits: a link and a session cannot be guessed, and a hash without salt is enough. */
const secretBytes = 32;

export type SignInLinks = ReturnType<typeof createSignInLinks>;

export interface SignInLinkDeps extends AuditDeps {
  readonly members: MemberStore;
  readonly signIns: SignInStore;
}

export function createSignInLinks(deps: SignInLinkDeps) {
  const { members, signIns, writes } = deps;
  const create = async (
    member: Member | null,
    actor: Actor,
    checks: readonly Write[] = [],
  ): Promise<string> => {
    if (member === null && (await members.countOwners(null)) > 0)
      throw new HearthError("conflict", "The server has an owner already: name the member who signs in.");
    const link = newLink(deps, member);
    const of = member === null ? "the first owner of the server" : `the member '${member.email}'`;
    const entry = auditEntry(deps, actor, {
      action: "CreateSignInLink",
      objectId: member?.id ?? "server",
      teamId: member?.teamId ?? null,
      description: `Created a sign-in link of ${of}`,
      before: null,
      after: null,
    });
    await writes.commit([...checks, ...link.writes, entry]);
    return link.secret;
  };
  return {
    /**
     * Makes a link, which replaces the member's former one. @returns its secret, which is not stored and cannot be shown again.
     * @param member null: the link creates the first owner of the server
     * @throws HearthError `conflict` when the server has an owner already.
     */
    create: (member: Member | null, actor: Actor): Promise<string> => create(member, actor),
    /**
     * Makes a link for a member who has no password yet. @returns the secret of the link.
     * @throws HearthError `not_found` when the actor cannot see the member, `conflict` when they have a password, or sign in through an
     * identity provider: then only the command line makes one.
     */
    async invite(memberId: string, actor: Actor): Promise<string> {
      const member = await findVisibleMember(members, memberId, actor);
      if ((await signIns.findSignIn(member.id)).password !== null) throw hasPassword();
      // A person who has the link signs in as the member.
      return create(member, actor, [signIns.unlinkedCheck(member.id)]).catch((thrown: unknown) => {
        const isLinked = thrown instanceof HearthError && thrown.kind === "conflict";
        throw isLinked ? signsInByProvider() : thrown;
      });
    },
    /** Removes the password of a member, ends their sessions and makes a link. @returns the secret of the link. */
    async reset(member: Member, actor: Actor): Promise<string> {
      const link = newLink(deps, member);
      const entry = auditEntry(deps, actor, {
        action: "ResetPassword",
        objectId: member.id,
        teamId: member.teamId,
        description: `Removed the password of the member '${member.email}', ended their sessions and created a sign-in link`,
        before: auditedMember(member),
        after: auditedMember(member),
      });
      const cleared = [signIns.passwordWrite(member.id, null), signIns.sessionRemovals(member.id)];
      await writes.commit([...cleared, ...link.writes, entry]);
      return link.secret;
    },
  };
}

function hasPassword(): HearthError {
  const remedy = "`hearth members reset` removes a forgotten one.";
  return new HearthError("conflict", `The member has a password already. ${remedy}`);
}

function signsInByProvider(): HearthError {
  return new HearthError(
    "conflict",
    "The member signs in through the identity provider. Where it is gone, `hearth members sign-in-link` makes a link.",
  );
}

/** Prepares a link of a member, or of the first owner. */
function newLink(
  { signIns, clock, random }: SignInLinkDeps,
  member: Member | null,
): { readonly secret: string; readonly writes: readonly Write[] } {
  const secret = newSecret(random);
  const expireTime = clock.now() + linkMs;
  const link = { hash: hashSecret(secret), memberId: member?.id ?? null, expireTime };
  return { secret, writes: signIns.linkWrites(link) };
}

/** Returns a link that opens the console. @param base the address of the server, without a slash at its end */
export function formatSignInLink(base: string, secret: string): string {
  return `${base}/console#link=${secret}`;
}

/** Returns a new secret of a link or a session: 43 characters of base64url. */
export function newSecret(random: Random): string {
  return Buffer.from(random.bytes(secretBytes)).toString("base64url");
}
