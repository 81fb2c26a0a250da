/**
 * API keys, as whoever manages them makes, reads, changes, rotates and removes them. It owns what a key may become and who
 * sees which; every change stands in the audit log. What a key opens is in authenticate.ts and permissions.ts.
 */
import type { ApiKey, ApiKeyStore, KeyQuery, Principal } from "./api-key.js";
import type { Act, Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { Team, TeamStore } from "../teams/team.js";
import type { Write } from "../../store/write.js";
import { auditedKey, carryOut, persistently, type ActsDeps } from "../audit/audited-change.js";
import { sees } from "../audit/actors.js";
import { ensureFirstTeam } from "../teams/first-team.js";
import { checkIpRanges } from "../authentication/ip-ranges.js";
import { meant } from "../resolve-reference.js";
import { newKey } from "./new-key.js";
import { allAcls } from "./permissions.js";
import { rotated, type Rotation } from "./rotation.js";
import { checkAcls, checkExpireTime, checkLimit, checkName } from "../field-rules.js";
import { issueSecret } from "../authentication/secret.js";
import { ofOneTeam, teamSeen } from "../teams/teams.js";

/** What a new key should be. */
export interface KeyWish {
  /** null = the first team. */
  readonly teamId: string | null;
  readonly name: string;
  /** All endpoints and models when left out; an empty list opens nothing. */
  readonly acls?: readonly string[];
  /** Milliseconds since the epoch; never when null or left out. */
  readonly expireTime?: number | null;
  /** Per second and per minute; no limit when null or left out. */
  readonly qps?: number | null;
  readonly qpm?: number | null;
  /** Tokens per minute. */
  readonly tpm?: number | null;
  /** Addresses and CIDR ranges that it may be used from; anywhere when null or left out. */
  readonly ipRanges?: readonly string[] | null;
}

/** What an existing key should become; what is left out stays. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "disabled" | "blocked" | "acls" | "expireTime" | "qps" | "qpm" | "tpm" | "ipRanges">
>;

export interface CreatedKey {
  readonly key: ApiKey;
  readonly team: Team;
  /** Known only now; it cannot be told again. */
  readonly secret: string;
}

/** A key of a team that the actor does not see is answered for like one that does not exist. */
export interface KeyService {
  /** @throws HearthError `invalid_value` naming the field, `not_found` when there is no such team. */
  create(wish: KeyWish, actor: Actor): Promise<CreatedKey>;
  /** All keys with their teams, in order of creation. */
  list(): Promise<readonly Principal[]>;
  /** Some keys of a team, in order of creation. @throws HearthError `not_found` when there is no such team. */
  page(query: KeyQuery, actor: Actor): Promise<readonly ApiKey[]>;
  /** @throws HearthError `not_found`. */
  find(id: string, actor: Actor): Promise<ApiKey>;
  /** @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` when an actor of one team would block or unblock it. */
  update(id: string, change: KeyChange, actor: Actor): Promise<ApiKey>;
  /** Gives a key a new secret. @throws HearthError `not_found`, `invalid_value` naming the field. */
  rotate(
    id: string,
    rotation: Rotation,
    actor: Actor,
  ): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Removes a key for good. @returns what it was. @throws HearthError `not_found`. */
  remove(id: string, actor: Actor): Promise<ApiKey>;
  /**
   * The key that a person means.
   * @param reference its id, the beginning of its id, or its redacted form, where only one key is meant.
   * @throws HearthError `not_found` when no key is meant, `conflict` when more than one is.
   */
  meant(reference: string): Promise<ApiKey>;
}

/** Keys that one reference may stand for: one is meant, the others are told of. */
const likeMax = 10;

export interface KeyServiceDeps extends ActsDeps {
  readonly keys: ApiKeyStore;
  readonly teams: TeamStore;
}

/** Builds the service over its ports. */
export function createKeyService(deps: KeyServiceDeps): KeyService {
  const { keys, teams, clock, random } = deps;
  return {
    create: (wish, actor) => create(deps, wish, actor),
    list: () => list(deps),
    async page(query, actor) {
      await teamSeen(teams, query.teamId, actor);
      return keys.page(query);
    },
    find: (id, actor) => findSeen(deps, id, actor),
    update: (id, change, actor) =>
      persistently(async () => {
        const before = await findSeen(deps, id, actor);
        const after = changed(before, change, actor, clock.now());
        await replace(deps, "UpdateApiKey", before, after, actor);
        return after;
      }),
    rotate: (id, rotation, actor) =>
      persistently(async () => {
        const before = await findSeen(deps, id, actor);
        const secret = issueSecret("hk-", random);
        const key = rotated(before, secret, rotation, actor, clock.now());
        await replace(deps, "RotateApiKey", before, key, actor);
        return { key, secret };
      }),
    remove: (id, actor) =>
      persistently(async () => {
        const key = await findSeen(deps, id, actor);
        await act(deps, "DeleteApiKey", { before: key, after: null }, keys.removal(key), actor);
        return key;
      }),
    meant: async (reference) =>
      meant(
        "API key",
        reference,
        await keys.like(reference, likeMax),
        ({ redacted }) => redacted === reference,
      ),
  };
}

async function create(deps: KeyServiceDeps, wish: KeyWish, actor: Actor): Promise<CreatedKey> {
  const { keys, teams, clock, random } = deps;
  const { name, acls = allAcls, expireTime = null } = wish;
  const team = wish.teamId === null ? await ensureFirstTeam(deps) : await teamSeen(teams, wish.teamId, actor);
  checkName(name);
  checkAcls(acls);
  checkExpireTime(expireTime, clock.now());
  for (const field of ["qps", "qpm", "tpm"] as const) checkLimit(field, wish[field] ?? null);
  checkIpRanges(wish.ipRanges ?? null);
  const secret = issueSecret("hk-", random);
  const key = newKey({ ...wish, secret, teamId: team.id, acls, expireTime }, actor.userId, clock, random);
  await act(deps, "CreateApiKey", { before: null, after: key }, keys.insertion(key), actor);
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
  if (key === null || !sees(actor, key.teamId)) throw new HearthError("not_found", "Cannot find API key");
  return key;
}

function changed(before: ApiKey, change: KeyChange, actor: Actor, now: number): ApiKey {
  if (change.name !== undefined) checkName(change.name);
  if (change.acls !== undefined) checkAcls(change.acls);
  for (const field of ["qps", "qpm", "tpm"] as const) checkLimit(field, change[field] ?? null);
  checkIpRanges(change.ipRanges ?? null);
  // What the operator has blocked must not unblock itself.
  if (actor.teamId !== null && (change.blocked ?? before.blocked) !== before.blocked)
    throw ofOneTeam("block or unblock keys");
  const { expireTime = before.expireTime } = change;
  // A key that has expired may be renamed without being given a new time.
  if (expireTime !== before.expireTime) checkExpireTime(expireTime, now);
  return { ...before, ...change, modifyTime: now, modifiedBy: actor.userId };
}

async function replace(
  deps: KeyServiceDeps,
  what: KeyAct,
  before: ApiKey,
  after: ApiKey,
  actor: Actor,
): Promise<void> {
  await act(deps, what, { before, after }, deps.keys.replacement(before, after), actor);
}

type KeyAct = Extract<Act, `${string}ApiKey`>;

const verbs: Readonly<Record<KeyAct, string>> = {
  CreateApiKey: "Created",
  UpdateApiKey: "Updated",
  RotateApiKey: "Rotated",
  DeleteApiKey: "Deleted",
};

/** The key before and after; one of them is there. */
type Becoming =
  | { readonly before: ApiKey; readonly after: ApiKey | null }
  | { readonly before: null; readonly after: ApiKey };

async function act(
  deps: KeyServiceDeps,
  what: KeyAct,
  { before, after }: Becoming,
  change: Write,
  actor: Actor,
): Promise<void> {
  const key = before ?? after;
  await carryOut(deps, actor, {
    act: what,
    objectId: key.id,
    teamId: key.teamId,
    description: `${verbOf(what, before, after)} the API key '${key.name}'`,
    before: before === null ? null : auditedKey(before),
    after: after === null ? null : auditedKey(after),
    change,
  });
}

function verbOf(what: KeyAct, before: ApiKey | null, after: ApiKey | null): string {
  if (before === null || after === null || before.blocked === after.blocked) return verbs[what];
  return after.blocked ? "Blocked" : "Unblocked";
}
