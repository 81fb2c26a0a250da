/** The keys that belong to a member: they end when the member is removed, or leaves the team. */
import { auditedKey } from "../keys/setting-rules.js";
import { auditEntry, managementKeyRemoval, type AuditDeps } from "../audit/audited-change.js";
import type { Actor } from "../audit/event.js";
import type { ApiKeyStore } from "../keys/store.js";
import type { ManagementKeyStore } from "../management-keys/store.js";
import type { SignInStore } from "../sessions/store/sessions.js";
import type { Write } from "../../store/writes.js";

export interface MemberKeyDeps extends AuditDeps {
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
  readonly signIns: SignInStore;
}

/** Deletes the management keys of a member, and the API key of their sessions, each with its audit entry. */
export async function memberKeyRemovals(
  deps: MemberKeyDeps,
  memberId: string,
  actor: Actor,
): Promise<readonly Write[]> {
  const { managementKeys } = deps;
  const own = (await managementKeys.list()).filter(({ userId }) => userId === memberId);
  const removals = own.flatMap((key) => [
    managementKeys.removal(key),
    auditEntry(deps, actor, managementKeyRemoval(key)),
  ]);
  return [...removals, ...(await sessionKeyRemoval(deps, memberId, actor))];
}

async function sessionKeyRemoval(
  deps: MemberKeyDeps,
  memberId: string,
  actor: Actor,
): Promise<readonly Write[]> {
  const { keys, signIns } = deps;
  const { apiKeyId } = await signIns.findSignIn(memberId);
  const key = apiKeyId === null ? null : await keys.find(apiKeyId);
  if (key === null) return [];
  const entry = auditEntry(deps, actor, {
    action: "DeleteApiKey",
    objectId: key.id,
    teamId: key.teamId,
    description: `Deleted the API key '${key.name}'`,
    before: auditedKey(key),
    after: null,
  });
  return [keys.removal(key), entry];
}

/** Disables the API keys that somebody has created as a member, each with its audit entry. The key of their sessions is left out. */
export async function memberKeyDisablings(
  deps: MemberKeyDeps,
  memberId: string,
  actor: Actor,
): Promise<readonly Write[]> {
  const { keys, signIns } = deps;
  const { apiKeyId } = await signIns.findSignIn(memberId);
  const found = await Promise.all((await keys.idsOfOwner(null, memberId)).map((id) => keys.find(id)));
  return found.flatMap((before) => {
    if (before === null || before.disabled || before.id === apiKeyId) return [];
    const after = { ...before, disabled: true };
    const entry = auditEntry(deps, actor, {
      action: "UpdateApiKey",
      objectId: before.id,
      teamId: before.teamId,
      description: `Disabled the API key '${before.name}'`,
      before: auditedKey(before),
      after: auditedKey(after),
    });
    return [keys.replacement(before, after), entry];
  });
}
