/** Begins sessions. A session's secret is always new, so that nobody can choose the one that a member will have. */
import { auditEntry, type AuditDeps } from "../audit/audited-change.js";
import type { Actor } from "../audit/event.js";
import { hashSecret } from "../authentication/secret.js";
import type { Member } from "../members/member.js";
import type { Write } from "../../store/writes.js";
import { newSecret } from "./links.js";
import type { Session } from "./session.js";
import type { SignInStore } from "./store.js";

/** How long a session lasts without a request, and at most. */
export const sessionMs = { idle: 12 * 60 * 60 * 1000, most: 7 * 24 * 60 * 60 * 1000 } as const;
/** Sessions of a member; a further one ends the oldest. */
const sessionsMax = 20;

export interface PreparedSession {
  readonly session: Session;
  readonly secret: string;
  /** The member, acting in the session. */
  readonly actor: Actor;
  readonly writes: readonly Write[];
}

/** Prepares a session, to be committed with what it follows from. */
export function prepareSession(
  deps: AuditDeps & { readonly signIns: SignInStore },
  member: Member,
  how: { readonly method: "password" | "link"; readonly address: string },
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
