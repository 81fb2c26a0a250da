/**
 * Creates what a new server needs: a team, an API key and a management key, with issued secrets or with secrets pinned by
 * the operator. It changes nothing when they exist. The next start recovers from a crash at any point: a secret is written
 * to its file before its key is stored, so no key is stored with a secret that nobody knows.
 */
import type { ApiKeyStore } from "./keys/store.js";
import type { ManagementKeyStore } from "./management-keys/store.js";
import type { Team } from "./principals/team.js";
import { commitAudited } from "./audit/audited-change.js";
import { serverActor } from "./audit/actors.js";
import { createSignInLinks, type SignInLinkDeps } from "./sign-in/links.js";
import { ensureFirstTeam, type FirstTeamDeps } from "./teams/first-team.js";
import { completeTeamNames } from "./teams/team-names.js";
import { firstKeyFile, firstManagementKeyFile, writeSecret } from "../store/data-folder.js";
import { inTurn, type NodeStore } from "../store/nodes.js";
import { addManagementKey } from "./management-keys/management-keys.js";
import { newKey } from "./keys/new-key.js";
import {
  endPinnedKeys,
  hasUsableKey,
  pinnedKeyName,
  pinnedManagementKeyName,
  resumePinnedKey,
} from "./keys/pinned-keys.js";
import { auditedKey } from "./keys/setting-rules.js";
import { hashSecret, issueSecret } from "./credentials/secret.js";

interface KeyStores extends FirstTeamDeps {
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
}

interface FirstStartDeps extends KeyStores {
  /** A secret chosen by the operator, validated by config.ts; null = one is issued. */
  readonly pinnedKey: string | null;
  /** Writes an issued secret to a file for the operator; called before the key is stored. */
  readonly writeFirstKey: (secret: string) => Promise<void>;
}

interface FirstKeySettings {
  readonly data: string;
  /** Whether keys that were pinned end when their setting is gone. */
  readonly pinnedKeys: "end" | "keep";
  /** Secrets chosen by the operator. */
  readonly apiKey: string | null;
  readonly managementKey: string | null;
}

type FirstKeys = Awaited<ReturnType<typeof createFirstKeys>>;

/** Creates the first API key and the first management key where there are none; servers that start together do it in turn. */
export function ensureFirstKeys(
  settings: FirstKeySettings,
  deps: KeyStores & { readonly nodes: NodeStore },
): Promise<FirstKeys> {
  return inTurn(deps.nodes, "first keys", deps.clock, () => createFirstKeys(settings, deps));
}

async function createFirstKeys(settings: FirstKeySettings, deps: KeyStores & { readonly nodes: NodeStore }) {
  const { apiKey, managementKey } = settings;
  await completeTeamNames(deps);
  if (settings.pinnedKeys === "end") await endPinnedKeys(settings, deps);
  const { secret } = await ensureFirstKey({
    ...deps,
    pinnedKey: apiKey,
    writeFirstKey: (issued) => writeSecret(firstKeyFile(settings), issued),
  });
  const firstManagementKey = await ensureFirstManagementKey({
    ...deps,
    pinnedKey: managementKey,
    writeFirstKey: (issued) => writeSecret(firstManagementKeyFile(settings), issued),
  });
  return {
    /** The API key that this start created; null when keys existed already or the operator configured one. */
    firstKey: apiKey === null ? secret : null,
    /** The same for the management key. */
    firstManagementKey: managementKey === null ? firstManagementKey : null,
  };
}

/** Makes a link with which the first owner signs in to the console, in the place of an earlier one. @returns its secret; null when the server has an owner */
export async function createOwnerLink(deps: SignInLinkDeps): Promise<string | null> {
  if ((await deps.members.countOwners(null)) > 0) return null;
  return createSignInLinks(deps).create(null, serverActor);
}

interface FirstStart {
  /** The secret of the new key; null when no key was created. */
  readonly secret: string | null;
  readonly team: Team;
}

/**
 * Ensures that a team and an API key exist: the pinned key, or an issued one when the server has no API key at all.
 * @throws Error when the pinned secret belongs to a management key.
 */
export async function ensureFirstKey(deps: FirstStartDeps): Promise<FirstStart> {
  const { keys, managementKeys, clock, random, pinnedKey } = deps;
  const team = await ensureFirstTeam(deps);
  if (pinnedKey !== null && (await managementKeys.findByHash(hashSecret(pinnedKey))) !== null)
    throw secretInUse("HEARTH_API_KEY", "a management key");
  if (pinnedKey !== null) await resumePinnedKey(deps, pinnedKey);
  const known = pinnedKey === null ? await hasUsableKey(keys) : await isStored(keys, pinnedKey);
  if (known) return { secret: null, team };
  const secret = pinnedKey ?? issueSecret("hk-", random);
  if (pinnedKey === null) await deps.writeFirstKey(secret);
  const name = pinnedKey === null ? "first key" : pinnedKeyName;
  const key = newKey({ secret, teamId: team.id, name }, serverActor.userId, clock, random);
  await commitAudited(deps, serverActor, {
    action: "CreateApiKey",
    objectId: key.id,
    teamId: team.id,
    description: `Created the API key '${name}'`,
    before: null,
    after: auditedKey(key),
    change: keys.insertion(key),
  });
  return { secret, team };
}

/**
 * Ensures that a management key exists: the pinned key, or an issued one for all teams when there is none at all.
 * @returns its secret; null when no key was created.
 * @throws Error when the pinned secret belongs to an API key.
 */
export async function ensureFirstManagementKey(deps: FirstStartDeps): Promise<string | null> {
  const { keys, managementKeys, random, pinnedKey } = deps;
  if (pinnedKey !== null) {
    const hash = hashSecret(pinnedKey);
    if ((await keys.findByHash(hash)) !== null) throw secretInUse("HEARTH_MANAGEMENT_KEY", "an API key");
    if ((await managementKeys.findByHash(hash)) !== null) return null;
  } else if ((await managementKeys.list()).length > 0) return null;
  const secret = pinnedKey ?? issueSecret("hm-", random);
  if (pinnedKey === null) await deps.writeFirstKey(secret);
  const name = pinnedKey === null ? "first management key" : pinnedManagementKeyName;
  await addManagementKey(deps, secret, { teamId: null, name }, serverActor);
  return secret;
}

async function isStored(keys: ApiKeyStore, secret: string): Promise<boolean> {
  const hash = hashSecret(secret);
  const found = await keys.findByHash(hash);
  return found !== null && Buffer.from(found.key.hash).equals(hash);
}

function secretInUse(variable: string, what: string): Error {
  return new Error(`${variable} is already ${what} of this server: a secret cannot open both /v1 and /auth`);
}
