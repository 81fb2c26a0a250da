/**
 * What a server has to begin with: a team, an API key and a management key, issued or pinned by the operator. It changes
 * nothing when they are there. A crash at any point is made good by the next start: a secret is written before its key is
 * stored, so there is never a key that nobody knows.
 */
import type { ApiKeyStore } from "./api-key.js";
import type { ManagementKeyStore } from "../management-keys/management-key.js";
import type { Team } from "../teams/team.js";
import { auditedKey, carryOut } from "../audit/audited-change.js";
import { serverActor } from "../audit/actors.js";
import { ensureFirstTeam, type FirstTeamDeps } from "../teams/first-team.js";
import { addManagementKey } from "../management-keys/management-keys.js";
import { newKey } from "./new-key.js";
import { allAcls } from "./permissions.js";
import { hashSecret, issueSecret } from "../authentication/secret.js";

export interface FirstStartDeps extends FirstTeamDeps {
  readonly keys: ApiKeyStore;
  readonly managementKeys: ManagementKeyStore;
  /** A secret of the operator's own choosing, as config.ts lets it through; null to have one issued. */
  readonly pinnedKey: string | null;
  /** Puts an issued secret where the operator finds it; called before the key exists. */
  readonly writeFirstKey: (secret: string) => Promise<void>;
}

export interface FirstStart {
  /** The secret that opens the server from now on; null when nothing was made. */
  readonly secret: string | null;
  readonly team: Team;
}

/**
 * Sees to it that there is a team and an API key: the pinned one, or an issued one when the server has no key at all.
 * @throws Error when the pinned one is a management key.
 */
export async function ensureFirstKey(deps: FirstStartDeps): Promise<FirstStart> {
  const { keys, managementKeys, clock, random, pinnedKey } = deps;
  const team = await ensureFirstTeam(deps);
  if (pinnedKey !== null && (await managementKeys.findByHash(hashSecret(pinnedKey))) !== null)
    throw twofold("HEARTH_API_KEY", "a management key");
  const known = pinnedKey === null ? !(await keys.isEmpty()) : await isStored(keys, pinnedKey);
  if (known) return { secret: null, team };
  const secret = pinnedKey ?? issueSecret("hk-", random);
  if (pinnedKey === null) await deps.writeFirstKey(secret);
  const name = pinnedKey === null ? "first key" : "pinned by HEARTH_API_KEY";
  const wish = { secret, teamId: team.id, name, acls: allAcls, expireTime: null };
  const key = newKey(wish, serverActor.userId, clock, random);
  await carryOut(deps, serverActor, {
    act: "CreateApiKey",
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
 * Sees to it that there is a management key of all teams: the pinned one, or an issued one when there is none at all.
 * @returns its secret, null when nothing was made.
 * @throws Error when the pinned one is an API key.
 */
export async function ensureFirstManagementKey(deps: FirstStartDeps): Promise<string | null> {
  const { keys, managementKeys, random, pinnedKey } = deps;
  if (pinnedKey !== null) {
    const hash = hashSecret(pinnedKey);
    if ((await keys.findByHash(hash)) !== null) throw twofold("HEARTH_MANAGEMENT_KEY", "an API key");
    if ((await managementKeys.findByHash(hash)) !== null) return null;
  } else if ((await managementKeys.list()).length > 0) return null;
  const secret = pinnedKey ?? issueSecret("hm-", random);
  if (pinnedKey === null) await deps.writeFirstKey(secret);
  const name = pinnedKey === null ? "first management key" : "pinned by HEARTH_MANAGEMENT_KEY";
  await addManagementKey(deps, secret, { teamId: null, name }, serverActor);
  return secret;
}

async function isStored(keys: ApiKeyStore, secret: string): Promise<boolean> {
  const hash = hashSecret(secret);
  const found = await keys.findByHash(hash);
  return found !== null && Buffer.from(found.key.hash).equals(hash);
}

function twofold(variable: string, what: string): Error {
  return new Error(`${variable} is ${what} of this server already: no secret opens both /v1 and /auth`);
}
