/**
 * Records sign-ins that have failed in the audit log: how, from which address, and of which member. What a visitor typed is never
 * recorded: people type passwords into the wrong field.
 */
import { visitorActor } from "../audit/actors.js";
import { auditEntry, type AuditDeps } from "../audit/audited-change.js";
import { SlidingWindow } from "../limits/sliding-window.js";
import type { Member } from "../principals/member.js";
import type { SignInMethod } from "./new-session.js";

const spanMs = 15 * 60 * 1000;
/** Entries within the span: the limits of single addresses do not bound what many addresses write. */
const recordedMax = 500;

export type FailedSignIns = ReturnType<typeof createFailedSignIns>;

export function createFailedSignIns(deps: AuditDeps) {
  const recorded = new SlidingWindow(spanMs);
  return {
    /**
     * Writes an entry, as long as there are not too many. Never fails: the answer to the visitor is the same on a full disk.
     * @param member who would have signed in; null: there is no such member, or it is not known
     * @param details a reason and the subject have no text of the visitor's
     */
    async record(
      method: SignInMethod,
      member: Member | null,
      details: { readonly address: string; readonly reason?: string; readonly subject?: string },
    ): Promise<void> {
      const now = Math.floor(deps.clock.monotonic());
      recorded.slide(now);
      if (recorded.used >= recordedMax) return;
      recorded.add(now, 1);
      const entry = auditEntry(deps, visitorActor, {
        action: "RejectSignIn",
        objectId: member?.id ?? "unknown",
        teamId: member?.teamId ?? null,
        description:
          member === null ? "A sign-in failed" : `A sign-in of the member '${member.email}' failed`,
        before: null,
        after: { method, ...details },
      });
      await deps.writes.commit([entry]).catch(() => undefined);
    },
  };
}
