/** Begins sessions. A session's secret is always new, so that nobody can choose the one that a member will have. */
import { auditEntry, type AuditDeps } from "../audit/audited-change.js";
import type { Actor } from "../audit/event.js";
import { hashSecret } from "../credentials/secret.js";
import { HearthError } from "../../core/errors.js";
import type { Member } from "../principals/member.js";
import type { TeamStore } from "../teams/store.js";
import type { Write } from "../../store/writes.js";
import { newSecret } from "./links.js";
import type { NewSession, Session, SignedIn } from "../sessions/session.js";
import type { SignInStore } from "../sessions/store/sessions.js";

/** How long a session lasts without a request, and at most. */
export const sessionMs = { idle: 12 * 60 * 60 * 1000, most: 7 * 24 * 60 * 60 * 1000 } as const;
/** Sessions of a member; a further one ends the oldest. */
const sessionsMax = 20;

/** `oidc`: through the identity provider. */
export type SignInMethod = "password" | "link" | "oidc";

type SessionDeps = AuditDeps & { readonly signIns: SignInStore };

export interface PreparedSession {
  readonly session: Session;
  readonly secret: string;
  /** The member, acting in the session. */
  readonly actor: Actor;
  readonly writes: readonly Write[];
}

/** Prepares a session, to be committed with what it follows from. */
export function prepareSession(
  deps: SessionDeps,
  member: Member,
  how: { readonly method: SignInMethod; readonly address: string },
): PreparedSession {
  const { signIns, clock, random } = deps;
  const [now, secret] = [clock.now(), newSecret(random)];
  const session: Session = {
    id: random.id(),
    memberId: member.id,
    hash: hashSecret(secret),
    createTime: now,
    lastUseTime: now,
    expireTime: now + sessionMs.most,
  };
  const actor = actorIn(session, member);
  const entry = auditEntry(deps, actor, {
    action: "SignIn",
    objectId: member.id,
    teamId: member.teamId,
    description: `The member '${member.email}' signed in`,
    before: null,
    after: how,
  });
  return { session, secret, actor, writes: [...signIns.sessionWrites(session, sessionsMax), entry] };
}

/** Returns the actor of what a member does to their own session and password. */
export function actorIn({ id }: Session, member: Member): Actor {
  return { id, userId: member.id, teamId: member.teamId };
}

/**
 * Commits a session with the changes that it belongs to, and returns it as a request will find it.
 * @param onConflict returns the error when what the changes depend on was changed since it was read; without it that is `conflict`.
 * @throws HearthError `unauthenticated` when the member has been removed.
 */
export async function commitSession(
  deps: SessionDeps,
  { session, secret }: PreparedSession,
  changes: readonly Write[],
  onConflict?: () => HearthError,
): Promise<NewSession> {
  await deps.writes.commit(changes).catch((thrown: unknown) => {
    const isConflict = thrown instanceof HearthError && thrown.kind === "conflict";
    throw isConflict && onConflict !== undefined ? onConflict() : thrown;
  });
  const found = await deps.signIns.findSession(session.hash);
  if (found === null) throw sessionEnded();
  return { ...found, secret };
}

/** The error of a request without a session. */
export function sessionEnded(): HearthError {
  return new HearthError(
    "unauthenticated",
    "You are not signed in, or your session has ended. Please sign in.",
  );
}

/** Checks the team of a member before a session begins. @throws HearthError `permission_denied` when it is blocked. */
export async function refuseBlockedTeam(
  { teams }: { readonly teams: TeamStore },
  { teamId }: Member,
): Promise<void> {
  const team = teamId === null ? null : await teams.find(teamId);
  if (team?.blocked === true) throw blockedTeam();
}

/** Checks the team of a session. @throws HearthError `permission_denied` when it is blocked. */
export function refuseBlocked({ team }: SignedIn): void {
  if (team?.blocked === true) throw blockedTeam();
}

function blockedTeam(): HearthError {
  return new HearthError(
    "permission_denied",
    "Your team is blocked. Please ask the operator of this server.",
  );
}
