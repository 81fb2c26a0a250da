/** For whom something is stored: who created the API key of its request. */
import { listEmails, operatorId } from "../../api/members.js";
import type { StoredObject } from "../../api/stored.js";
import { useResource } from "../../lib/resource.js";
import { useRole, useSignedIn } from "../../session.js";

/** Returns what names the owner of something stored; null for a member who sees only what is their own. */
export function useOwner(teamId: string): ((object: StoredObject) => string) | null {
  const seesOthers = useRole("admin");
  const { member } = useSignedIn().session;
  const emails = useResource(
    (signal) => (seesOthers ? listEmails(teamId, signal) : Promise.resolve(null)),
    [teamId, seesOthers],
  );
  if (!seesOthers) return null;
  return ({ userId }) => {
    // What was stored before owners were recorded has none.
    if (userId === undefined) return "the team";
    if (userId === member.memberId) return "you";
    if (userId === operatorId) return "the operator";
    return emails.value === null ? "…" : (emails.value.get(userId) ?? "somebody else");
  };
}
