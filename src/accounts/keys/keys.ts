/** Creates, reads, changes, rotates and removes API keys. Every change is audited. */
import type { ApiKey, KeyQuery, Principal } from "../principals/api-key.js";
import type { ApiKeyStore } from "./store.js";
import type { AuditAction, Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { SignInStore } from "../sessions/store/sessions.js";
import type { TeamStore } from "../teams/store.js";
import type { Team } from "../principals/team.js";
import type { Write } from "../../store/writes.js";
import { commitAudited, retryOnConflict, type AuditDeps } from "../audit/audited-change.js";
import { checkGroupsExist } from "../groups/known-groups.js";
import type { AccessGroupStore } from "../groups/store.js";
import { canSeeOwned, isOperator } from "../visibility.js";
import { ensureFirstTeam } from "../teams/first-team.js";
import { resolveReference } from "../../core/resolve-reference.js";
import { newKey } from "./new-key.js";
import type { KeySettings } from "./key-settings.js";
import { auditedKey, checkSettings } from "./setting-rules.js";
import { issueSecret, hashSecret } from "../credentials/secret.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import { findScope, findVisibleTeam } from "../teams/teams.js";
import { checkExpireTime, invalid } from "../field-rules.js";
import { redactSecret } from "../../core/report/redact-secret.js";

/** Absent settings have their defaults. */
interface CreateKeyRequest extends Partial<Omit<KeySettings, "disabled" | "blocked">> {
  readonly name: string;
  /** null = the first team. */
  readonly teamId: string | null;
}

/** A change of a key's settings; absent settings stay as they are. */
type KeyChange = Partial<KeySettings>;

interface CreatedKey {
  readonly key: ApiKey;
  readonly team: Team;
  /** It is not stored and cannot be shown again. */
  readonly secret: string;
}

/** A key that the actor cannot see is treated as one that does not exist. */
export type KeyService = ReturnType<typeof createKeyService>;

/** Keys that are read for one reference; the error lists those that match. */
const matchesMax = 10;

interface KeyServiceDeps extends AuditDeps {
  readonly keys: ApiKeyStore;
  readonly teams: TeamStore;
  readonly signIns: SignInStore;
  readonly accessGroups: AccessGroupStore;
}

export function createKeyService(deps: KeyServiceDeps) {
  const { keys, teams, clock, random } = deps;
  return {
    /** @throws HearthError `invalid_value` naming the field, `not_found` when the team does not exist. */
    create: (request: CreateKeyRequest, actor: Actor): Promise<CreatedKey> => create(deps, request, actor),
    /** Returns all keys with their teams, in order of creation. */
    list: (): Promise<readonly Principal[]> => list(deps),
    /** Returns keys of a team in order of creation. @throws HearthError `not_found` when the team does not exist. */
    async page(query: KeyQuery, actor: Actor): Promise<readonly ApiKey[]> {
      const { ownerId } = await findScope(teams, query.teamId, actor);
      return keys.page(ownerId === null ? query : { ...query, userId: ownerId });
    },
    /** Returns the ids of those keys that sessions of the console use: they have no secret and cannot be rotated. */
    consoleKeyIds: (all: readonly ApiKey[]): Promise<ReadonlySet<string>> =>
      deps.signIns.consoleKeyIds([...new Set(all.map(({ userId }) => userId))]),
    /** @throws HearthError `not_found`. */
    find: (id: string, actor: Actor): Promise<ApiKey> => findSeen(deps, id, actor),
    /**
     * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` when an actor of a single team
     * changes whether it is blocked.
     */
    update: (id: string, change: KeyChange, actor: Actor): Promise<ApiKey> =>
      retryOnConflict(async () => {
        const before = await findSeen(deps, id, actor);
        const after = applyChange(before, change, actor, clock.now());
        await checkGroupsExist(deps.accessGroups, change.acls, before.acls);
        await replace(deps, "UpdateApiKey", before, after, actor);
        return after;
      }),
    /** Replaces a key's secret. @throws HearthError `not_found`, `invalid_value` naming the field. */
    rotate: (
      id: string,
      request: RotateKeyRequest,
      actor: Actor,
    ): Promise<{ readonly key: ApiKey; readonly secret: string }> =>
      retryOnConflict(async () => {
        const before = await findSeen(deps, id, actor);
        await refuseConsoleKey(deps, before);
        const secret = issueSecret("hk-", random);
        const key = rotateKey(before, secret, request, actor, clock.now());
        await replace(deps, "RotateApiKey", before, key, actor);
        return { key, secret };
      }),
    /** Deletes a key. @returns the deleted key. @throws HearthError `not_found`. */
    remove: (id: string, actor: Actor): Promise<ApiKey> =>
      retryOnConflict(async () => {
        const key = await findSeen(deps, id, actor);
        await commitChange(deps, "DeleteApiKey", { before: key, after: null }, keys.removal(key), actor);
        return key;
      }),
    /**
     * Returns the key that a reference identifies.
     * @param reference its id, the start of its id, its name, or its redacted form.
     * @throws HearthError `not_found` when there is none, `conflict` when there are several.
     */
    resolve: async (reference: string): Promise<ApiKey> =>
      resolveReference(
        "API key",
        reference,
        await keys.findByReference(reference, matchesMax),
        ({ redacted, name }) => redacted === reference || name === reference,
        ({ name }) => name,
      ),
  };
}

async function create(deps: KeyServiceDeps, request: CreateKeyRequest, actor: Actor): Promise<CreatedKey> {
  const { keys, teams, clock, random } = deps;
  const { teamId, ...settings } = request;
  const team = teamId === null ? await ensureFirstTeam(deps) : await findVisibleTeam(teams, teamId, actor);
  checkSettings(settings, clock.now());
  await checkGroupsExist(deps.accessGroups, settings.acls);
  const secret = issueSecret("hk-", random);
  const key = newKey({ ...settings, secret, teamId: team.id }, actor.userId, clock, random);
  await commitChange(deps, "CreateApiKey", { before: null, after: key }, keys.insertion(key), actor);
  return { key, team, secret };
}

async function list({ keys, teams }: KeyServiceDeps): Promise<Principal[]> {
  const byId = new Map((await teams.list()).map((team) => [team.id, team]));
  return (await keys.list(null)).flatMap((key) => {
    const team = byId.get(key.teamId);
    return team === undefined ? [] : [{ key, team }];
  });
}

async function findSeen({ keys }: KeyServiceDeps, id: string, actor: Actor): Promise<ApiKey> {
  const key = await keys.find(id);
  if (key === null || !canSeeOwned(actor, key)) throw new HearthError("not_found", "Cannot find API key");
  return key;
}

/** A session of the console calls /v1 with a key whose secret nobody has. @throws HearthError `permission_denied`. */
async function refuseConsoleKey({ signIns }: KeyServiceDeps, { id, userId }: ApiKey): Promise<void> {
  if ((await signIns.findSignIn(userId)).apiKeyId !== id) return;
  throw new HearthError(
    "permission_denied",
    "This API key belongs to the console: it opens nothing without a session and has no secret. Please create another key.",
  );
}

function applyChange(before: ApiKey, change: KeyChange, actor: Actor, now: number): ApiKey {
  const { expireTime = before.expireTime, ...others } = change;
  // An expired key may be renamed without a new expiry time.
  checkSettings(expireTime === before.expireTime ? others : change, now);
  // Only the operator may unblock what the operator has blocked.
  if (!isOperator(actor) && (change.blocked ?? before.blocked) !== before.blocked)
    throw deniedToTeamKey("block or unblock keys");
  return { ...before, ...change, modifyTime: now, modifiedBy: actor.userId };
}

async function replace(
  deps: KeyServiceDeps,
  action: KeyAction,
  before: ApiKey,
  after: ApiKey,
  actor: Actor,
): Promise<void> {
  await commitChange(deps, action, { before, after }, deps.keys.replacement(before, after), actor);
}

type KeyAction = Extract<AuditAction, `${string}ApiKey`>;

const verbs: Readonly<Record<KeyAction, string>> = {
  CreateApiKey: "Created",
  UpdateApiKey: "Updated",
  RotateApiKey: "Rotated",
  DeleteApiKey: "Deleted",
};

/** The key before and after a change; at least one of them is not null. */
type BeforeAndAfter =
  | { readonly before: ApiKey; readonly after: ApiKey | null }
  | { readonly before: null; readonly after: ApiKey };

async function commitChange(
  deps: KeyServiceDeps,
  action: KeyAction,
  { before, after }: BeforeAndAfter,
  change: Write,
  actor: Actor,
): Promise<void> {
  const key = before ?? after;
  await commitAudited(deps, actor, {
    action,
    objectId: key.id,
    teamId: key.teamId,
    description: `${chooseVerb(action, before, after)} the API key '${key.name}'`,
    before: before === null ? null : auditedKey(before),
    after: after === null ? null : auditedKey(after),
    change,
  });
}

function chooseVerb(action: KeyAction, before: ApiKey | null, after: ApiKey | null): string {
  if (before === null || after === null || before.blocked === after.blocked) return verbs[action];
  return after.blocked ? "Blocked" : "Unblocked";
}

/** Times are milliseconds since the epoch. */
interface RotateKeyRequest {
  /** New expiry time of the key; absent = unchanged. */
  readonly expireTime?: number | null;
  /** When the old secret stops working; absent = in a day. A time in the past stops it at once. */
  readonly oldSecretExpireTime?: number;
}

const dayMs = 86_400_000;
const graceMs = dayMs;
const graceMsMax = 7 * dayMs;

/**
 * Returns the key with a new secret. The old secret works until the grace period ends or it would have expired, whichever
 * is earlier; the one before that stops working at once.
 * @throws HearthError `invalid_value` naming the field.
 */
function rotateKey(
  key: ApiKey,
  secret: string,
  request: RotateKeyRequest,
  actor: Actor,
  now: number,
): ApiKey {
  const { expireTime = key.expireTime, oldSecretExpireTime = now + graceMs } = request;
  if (expireTime !== key.expireTime) checkExpireTime(expireTime, now);
  if (!Number.isSafeInteger(oldSecretExpireTime) || oldSecretExpireTime > now + graceMsMax)
    throw invalid("oldSecretExpireTime", "must be within 7 days");
  return {
    ...key,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    previousHash: key.hash,
    previousExpireTime: Math.min(oldSecretExpireTime, key.expireTime ?? oldSecretExpireTime),
    expireTime,
    modifyTime: now,
    modifiedBy: actor.userId,
  };
}
