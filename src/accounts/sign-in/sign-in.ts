/**
 * Signs members in to the console, by password or by a link that works once, and out again. Failed attempts cost the same work and
 * have the same answer, whether or not the member exists.
 */
import { auditedMember, auditEntry, retryOnConflict } from "../audit/audited-change.js";
import type { AuditAction } from "../audit/event.js";
import { hashSecret, issueSecret } from "../credentials/secret.js";
import { HearthError } from "../../core/errors.js";
import { checkEmail, invalid } from "../field-rules.js";
import type { Member } from "../principals/member.js";
import type { Write } from "../../store/writes.js";
import { isWrongSecret, type SignInAttempts } from "./attempts.js";
import type { SignInLinkDeps } from "./links.js";
import type { FailedSignIns } from "./failed-sign-ins.js";
import {
  actorIn,
  commitSession,
  prepareSession,
  refuseBlocked,
  refuseBlockedTeam,
  sessionEnded,
  sessionMs,
  type PreparedSession,
} from "./new-session.js";
import { checkPassword, createPasswords, type PasswordCost, type Passwords } from "./passwords.js";
import type { NewSession, SignedIn } from "../sessions/session.js";
import type { SignInLink, SignInStore } from "../sessions/store/sessions.js";
import { auditedKey } from "../keys/setting-rules.js";
import { newKey } from "../keys/new-key.js";
import type { ApiKeyStore } from "../keys/store.js";
import { ensureFirstTeam, type FirstTeamDeps } from "../teams/first-team.js";

interface LinkSignIn {
  /** The secret of the link. */
  readonly link: string;
  /** E-mail of the first owner, if the link creates them. */
  readonly email: string | null;
  /** The new password; null keeps the one that the member has. */
  readonly password: string | null;
}

export type SignInService = ReturnType<typeof createSignIn>;

type SignInDeps = SignInLinkDeps & ConsoleKeyDeps;

type SignInServiceDeps = SignInDeps & {
  readonly attempts: SignInAttempts;
  readonly failures: FailedSignIns;
  /** The cost of hashing new passwords; absent: the default. */
  readonly passwordCost?: PasswordCost;
};

interface Parts extends SignInDeps {
  readonly passwords: Passwords;
}

/** Uses of a session are stored once in this time. */
const useStoredMs = 60_000;

export function createSignIn(deps: SignInServiceDeps) {
  const parts: Parts = { ...deps, passwords: createPasswords(deps.random, deps.passwordCost) };
  const { attempts, failures } = deps;
  return {
    /** @throws HearthError `bad_credential`, `rate_limited`, `overloaded`, or `permission_denied` when the team is blocked. */
    async withPassword(
      request: { readonly email: string; readonly password: string },
      address: string,
    ): Promise<NewSession> {
      return attempts.make({ address, email: request.email }, async () => {
        const { member, verified } = await memberWithPassword(parts, request).catch(
          async (thrown: unknown) => {
            if (isWrongSecret(thrown))
              await failures.record("password", await deps.members.findByEmail(request.email), { address });
            throw thrown;
          },
        );
        await refuseBlockedTeam(deps, member);
        const begun = prepareSession(deps, member, { method: "password", address });
        const writes = [deps.signIns.passwordCheck(member.id, verified), ...begun.writes];
        return commitSession(deps, begun, writes, wrongPassword);
      });
    },
    /**
     * Signs in by a link, which is then used up. A password that is set ends the member's other sessions.
     * @throws the same errors, and `invalid_value` when an e-mail or a password is needed: the link can be used again.
     */
    async withLink(request: LinkSignIn, address: string): Promise<NewSession> {
      const link = await attempts.make({ address, email: null }, () =>
        findLink(deps, request.link).catch(async (thrown: unknown) => {
          if (isWrongSecret(thrown)) await failures.record("link", null, { address });
          throw thrown;
        }),
      );
      return useLink(parts, link, request, address);
    },
    /**
     * Returns the session of a request. @param secret null: the request has none
     * @throws HearthError `unauthenticated` when there is no such session, or it has ended.
     */
    find: (secret: string | null): Promise<SignedIn> => find(deps, secret),
    /** Ends the session. */
    end: (signedIn: SignedIn): Promise<void> =>
      end(deps, signedIn, "SignOut", deps.signIns.sessionRemoval(signedIn.session)),
    /** Ends all sessions of the member. */
    endAll: (signedIn: SignedIn): Promise<void> =>
      end(deps, signedIn, "SignOutEverywhere", deps.signIns.sessionRemovals(signedIn.member.id)),
    /**
     * Sets the password and ends all sessions of the member. @returns a new session
     * @throws HearthError `invalid_value` naming the field, `rate_limited`, `overloaded`.
     */
    setPassword: (
      signedIn: SignedIn,
      request: { readonly currentPassword: string; readonly password: string },
      address: string,
    ): Promise<NewSession> => replacePassword(parts, attempts, signedIn, request, address),
    /** Returns the id of the API key with which the member's sessions call /v1; creates it with the first call. */
    apiKeyOf: (signedIn: SignedIn): Promise<string> => ensureConsoleKey(deps, signedIn),
  };
}

async function replacePassword(
  deps: Parts,
  attempts: SignInAttempts,
  { session, member }: SignedIn,
  { currentPassword, password }: { readonly currentPassword: string; readonly password: string },
  address: string,
): Promise<NewSession> {
  const { signIns, passwords } = deps;
  const verified = await attempts.make({ address, email: member.email }, async () => {
    const { password: stored } = await signIns.findSignIn(member.id);
    const matches = await passwords.matches(currentPassword, stored);
    if (stored === null || !matches) throw invalid("currentPassword", "is wrong");
    return stored;
  });
  checkPassword(password);
  const hash = await passwords.hash(password);
  const begun = prepareSession(deps, member, { method: "password", address });
  const checks = [signIns.sessionCheck(session), signIns.passwordCheck(member.id, verified)];
  const changes = passwordWrites(deps, member, hash, begun);
  return commitSession(deps, begun, [...checks, ...changes, ...begun.writes], sessionEnded);
}

/**
 * Returns the member with this e-mail and password, and the hash that was verified.
 * @throws HearthError `bad_credential`, after the same work in every case.
 */
async function memberWithPassword(
  { members, signIns, passwords }: Parts,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<{ readonly member: Member; readonly verified: string }> {
  const member = await members.findByEmail(email);
  const { password: stored } = await signIns.findSignIn(member?.id ?? "");
  const matches = await passwords.matches(password, stored);
  if (member === null || stored === null || !matches) throw wrongPassword();
  return { member, verified: stored };
}

function wrongPassword(): HearthError {
  return new HearthError("bad_credential", "The e-mail or the password is wrong.");
}

function usedLink(): HearthError {
  const remedy = "`hearth members sign-in-link` prints a new one.";
  return new HearthError("bad_credential", `This sign-in link has been used or has expired. ${remedy}`);
}

async function findLink({ signIns, clock }: SignInDeps, secret: string): Promise<SignInLink> {
  const link = await signIns.findLink(hashSecret(secret));
  if (link === null || link.expireTime <= clock.now()) throw usedLink();
  return link;
}

async function useLink(
  deps: Parts,
  link: SignInLink,
  request: LinkSignIn,
  address: string,
): Promise<NewSession> {
  const { members, signIns, passwords } = deps;
  const isNew = link.memberId === null;
  const member = isNew ? await firstOwner(deps, request.email) : await members.find(link.memberId);
  if (member === null) throw usedLink();
  await refuseBlockedTeam(deps, member);
  const { password: stored } = await signIns.findSignIn(member.id);
  if (request.password === null && stored === null)
    throw invalid("password", "is needed: choose the one with which you will sign in");
  if (request.password !== null) checkPassword(request.password);
  const hash = request.password === null ? null : await passwords.hash(request.password);
  const begun = prepareSession(deps, member, { method: "link", address });
  const changes: readonly Write[] = [
    signIns.linkRemoval(link),
    ...(isNew ? ownerWrites(deps, member, begun) : []),
    ...(hash === null ? [] : passwordWrites(deps, member, hash, begun)),
    ...begun.writes,
  ];
  // One of two uses at the same time finds the link gone.
  return commitSession(deps, begun, changes, usedLink);
}

/** Returns the first owner of the server, who is not stored yet; null when there is an owner. */
async function firstOwner({ members, clock, random }: Parts, email: string | null): Promise<Member | null> {
  if ((await members.countOwners(null)) > 0) return null;
  if (email === null)
    throw invalid("email", "is needed: with it you will sign in as the owner of this server");
  checkEmail(email);
  if ((await members.findByEmail(email)) !== null)
    throw new HearthError("conflict", "Another member has this e-mail address.", { param: "email" });
  const names = { givenName: "", familyName: "" };
  return { id: random.id(), teamId: null, email, ...names, role: "owner", createTime: clock.now() };
}

function ownerWrites(deps: SignInDeps, member: Member, { actor }: PreparedSession): readonly Write[] {
  const entry = auditEntry(deps, actor, {
    action: "CreateMember",
    objectId: member.id,
    teamId: null,
    description: `Added the member '${member.email}'`,
    before: null,
    after: auditedMember(member),
  });
  return [deps.members.insertion(member), entry];
}

/** Sets a password and ends the sessions of the member; the new one is stored after that. */
function passwordWrites(
  deps: SignInDeps,
  member: Member,
  hash: string,
  { actor }: PreparedSession,
): readonly Write[] {
  const { signIns } = deps;
  const entry = auditEntry(deps, actor, {
    action: "SetPassword",
    objectId: member.id,
    teamId: member.teamId,
    description: `Set the password of the member '${member.email}'`,
    before: null,
    after: null,
  });
  return [signIns.passwordWrite(member.id, hash), signIns.sessionRemovals(member.id), entry];
}

async function find({ signIns, writes, clock }: SignInDeps, secret: string | null): Promise<SignedIn> {
  const found = secret === null ? null : await signIns.findSession(hashSecret(secret));
  const now = clock.now();
  if (found === null) throw sessionEnded();
  const { expireTime, lastUseTime } = found.session;
  if (expireTime <= now || lastUseTime + sessionMs.idle <= now) throw sessionEnded();
  refuseBlocked(found);
  // A disk that is full does not keep members from reading; their session then ends earlier.
  if (now - lastUseTime >= useStoredMs)
    await writes.commit([signIns.useWrite(found.session, now)]).catch(() => undefined);
  return found;
}

const descriptions = {
  SignOut: (email: string) => `The member '${email}' signed out`,
  SignOutEverywhere: (email: string) => `The member '${email}' ended all of their sessions`,
} as const satisfies Partial<Record<AuditAction, (email: string) => string>>;

async function end(
  deps: SignInDeps,
  { session, member }: SignedIn,
  action: keyof typeof descriptions,
  removal: Write,
): Promise<void> {
  const entry = auditEntry(deps, actorIn(session, member), {
    action,
    objectId: member.id,
    teamId: member.teamId,
    description: descriptions[action](member.email),
    before: null,
    after: null,
  });
  await deps.writes.commit([removal, entry]);
}

// The API key with which the sessions of a member call /v1, so that limits, permissions and the ledger hold for the playground as for
// every other client. Nobody has its secret, and it cannot be rotated: it opens nothing without a session.

interface ConsoleKeyDeps extends FirstTeamDeps {
  readonly keys: ApiKeyStore;
  readonly signIns: SignInStore;
}

/** A name of a key has at most 100 characters. */
const nameCharactersMax = 100;

/** Returns the id of the key; creates one when there is none, or when it was deleted. A member of the whole server uses the first team. */
function ensureConsoleKey(deps: ConsoleKeyDeps, signedIn: SignedIn): Promise<string> {
  return retryOnConflict(async () => {
    const { apiKeyId } = await deps.signIns.findSignIn(signedIn.member.id);
    const isThere = apiKeyId !== null && (await deps.keys.find(apiKeyId)) !== null;
    return isThere ? apiKeyId : create(deps, signedIn, apiKeyId);
  });
}

async function create(
  deps: ConsoleKeyDeps,
  { session, member }: SignedIn,
  before: string | null,
): Promise<string> {
  const { keys, signIns, writes, clock, random } = deps;
  const teamId = member.teamId ?? (await ensureFirstTeam(deps)).id;
  const name = [...`console of ${member.email}`].slice(0, nameCharactersMax).join("");
  const key = newKey({ secret: issueSecret("hk-", random), teamId, name }, member.id, clock, random);
  const entry = auditEntry(deps, actorIn(session, member), {
    action: "CreateApiKey",
    objectId: key.id,
    teamId,
    description: `Created the API key '${name}'`,
    before: null,
    after: auditedKey(key),
  });
  await writes.commit([signIns.apiKeyWrite(member.id, key.id, before), keys.insertion(key), entry]);
  return key.id;
}
