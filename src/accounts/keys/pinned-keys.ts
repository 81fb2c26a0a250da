/**
 * Keys that the operator has pinned by a setting end at the first start without it, unless the setting `pinnedKeys` keeps them. The name of a
 * key says that it is pinned: a key that gets another name is one like all others.
 */
import { serverActor } from "../audit/actors.js";
import { commitAudited, managementKeyRemoval, type AuditDeps } from "../audit/audited-change.js";
import { hashSecret } from "../credentials/secret.js";
import type { ManagementKeyStore } from "../management-keys/store.js";
import type { ApiKey } from "../principals/api-key.js";
import type { NodeStore } from "../../store/nodes.js";
import type { KeySettings } from "./key-settings.js";
import { auditedKey } from "./setting-rules.js";
import type { ApiKeyStore } from "./store.js";

export const pinnedKeyName = "pinned by HEARTH_API_KEY";
export const pinnedManagementKeyName = "pinned by HEARTH_MANAGEMENT_KEY";
/** The name of an API key whose setting is gone. It has expired, and keeps its limits and permissions until it is pinned again. */
const endedKeyName = "was pinned by HEARTH_API_KEY";

interface PinDeps extends AuditDeps {
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
}

interface Pins {
  readonly apiKey: string | null;
  readonly managementKey: string | null;
}

/** Ends the pinned keys that the settings do not have any more. Other servers of the database may still have them: then all stay. */
export async function endPinnedKeys(
  { apiKey, managementKey }: Pins,
  deps: PinDeps & { readonly nodes: NodeStore },
): Promise<void> {
  const { keys, managementKeys, clock, nodes } = deps;
  if ((await nodes.running()).length > 1) return;
  for (const key of await keys.findByName(pinnedKeyName, serverActor.userId))
    if (!hasSecret(key, apiKey))
      await change(deps, key, { name: endedKeyName, expireTime: clock.now() }, "its setting is gone");
  for (const key of await managementKeys.list()) {
    if (key.name !== pinnedManagementKeyName || hasSecret(key, managementKey)) continue;
    const removal = { ...managementKeyRemoval(key), change: managementKeys.removal(key) };
    await commitAudited(deps, serverActor, removal);
  }
}

/** Makes a pinned key that has ended work again, with the limits and permissions that it had. */
export async function resumePinnedKey(deps: PinDeps, secret: string): Promise<void> {
  for (const key of await deps.keys.findByName(endedKeyName, serverActor.userId))
    if (hasSecret(key, secret))
      await change(deps, key, { name: pinnedKeyName, expireTime: null }, "it is pinned again");
}

/** Returns the pinned keys that work, each as its redacted form and its setting. */
export async function listStoredPins(
  keys: ApiKeyStore,
  managementKeys: ManagementKeyStore,
): Promise<readonly string[]> {
  const managers = (await managementKeys.list()).filter(({ name }) => name === pinnedManagementKeyName);
  return [
    ...(await keys.findByName(pinnedKeyName, serverActor.userId)).map(
      ({ redacted }) => `${redacted} by HEARTH_API_KEY`,
    ),
    ...managers.map(({ redacted }) => `${redacted} by HEARTH_MANAGEMENT_KEY`),
  ];
}

/** Whether there is a key besides the pinned ones that have ended. */
export async function hasUsableKey(keys: ApiKeyStore): Promise<boolean> {
  const ended = await keys.findByName(endedKeyName, serverActor.userId);
  return !(await keys.isEmpty(ended.map(({ id }) => id)));
}

function hasSecret({ hash }: { readonly hash: Uint8Array }, secret: string | null): boolean {
  return secret !== null && Buffer.from(hash).equals(hashSecret(secret));
}

async function change(
  deps: PinDeps,
  before: ApiKey,
  changed: Partial<KeySettings>,
  reason: string,
): Promise<void> {
  const after = {
    ...before,
    ...changed,
    modifyTime: deps.clock.now(),
    modifiedBy: serverActor.userId,
  };
  await commitAudited(deps, serverActor, {
    action: "UpdateApiKey",
    objectId: before.id,
    teamId: before.teamId,
    description: `Updated the API key '${before.name}': ${reason}`,
    before: auditedKey(before),
    after: auditedKey(after),
    change: deps.keys.replacement(before, after),
  });
}
