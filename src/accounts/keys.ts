import type { ApiKey, ApiKeyStore, Principal } from "../core/api-key.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { Random } from "../core/random.js";
import type { Team, TeamStore } from "../core/team.js";
import { ensureFirstTeam } from "./first-start.js";
import { newKey } from "./new-key.js";
import { allAcls, endpointNames } from "./permissions.js";
import { issueSecret, redactSecret } from "./secret.js";

/** What a new key should be. */
export interface KeyWish {
  /** null = the first team. */
  readonly teamId: string | null;
  readonly name: string;
  /** All endpoints and models when left out; an empty list opens nothing. */
  readonly acls?: readonly string[];
  /** Milliseconds since the epoch; never when null or left out. */
  readonly expireTime?: number | null;
}

export interface CreatedKey {
  readonly key: ApiKey;
  readonly team: Team;
  /** Known only now; it cannot be told again. */
  readonly secret: string;
}

export interface KeyService {
  /** @throws HearthError `invalid_value` naming the field, `not_found` when there is no such team. */
  create(wish: KeyWish): Promise<CreatedKey>;
  /** All keys with their teams, in order of creation. */
  list(): Promise<readonly Principal[]>;
  /**
   * Removes a key for good.
   * @param reference its id, the beginning of its id, or its redacted form, where only one key is meant.
   * @returns the key that was removed.
   * @throws HearthError `not_found` when no key is meant, `conflict` when more than one is.
   */
  remove(reference: string): Promise<ApiKey>;
}

export interface KeyServiceDeps {
  readonly keys: ApiKeyStore;
  readonly teams: TeamStore;
  readonly clock: Clock;
  readonly random: Random;
}

const nameCharactersMax = 100;
const aclsMax = 100;
const aclCharactersMax = 300;
/** A shorter beginning of an id is more likely a slip than a choice. */
const idCharactersLeast = 4;

/** Builds the service over its ports. */
export function createKeyService(deps: KeyServiceDeps): KeyService {
  const { keys, clock, random } = deps;
  return {
    async create({ teamId, name, acls = allAcls, expireTime = null }) {
      checkName(name);
      checkAcls(acls);
      checkExpireTime(expireTime, clock.now());
      const team = await findTeam(deps, teamId);
      const secret = issueSecret("hk-", random);
      const key = newKey({ secret, teamId: team.id, name, acls, expireTime }, clock, random);
      await keys.insert(key);
      return { key, team, secret };
    },
    list: () => list(deps),
    async remove(reference) {
      const key = only(reference, matching(reference, await keys.list(null)));
      if (!(await keys.delete(key.id))) throw unknownKey(reference);
      return key;
    },
  };
}

async function list({ keys, teams }: KeyServiceDeps): Promise<Principal[]> {
  const byId = new Map((await teams.list()).map((team) => [team.id, team]));
  return (await keys.list(null)).flatMap((key) => {
    const team = byId.get(key.teamId);
    return team === undefined ? [] : [{ key, team }];
  });
}

async function findTeam(deps: KeyServiceDeps, teamId: string | null): Promise<Team> {
  if (teamId === null) return ensureFirstTeam(deps);
  const team = await deps.teams.find(teamId);
  if (team === null) throw new HearthError("not_found", "There is no such team.", { param: "teamId" });
  return team;
}

function matching(reference: string, all: readonly ApiKey[]): readonly ApiKey[] {
  const exact = all.filter((key) => key.id === reference || key.redacted === reference);
  if (exact.length > 0 || reference.length < idCharactersLeast) return exact;
  return all.filter((key) => key.id.startsWith(reference));
}

function only(reference: string, found: readonly ApiKey[]): ApiKey {
  const [key, another] = found;
  if (key === undefined) throw unknownKey(reference);
  if (another === undefined) return key;
  const ids = found.slice(0, 5).map((one) => one.id);
  throw new HearthError("conflict", `More than one API key is called '${reference}': ${ids.join(", ")}.`, {
    param: "id",
  });
}

/** Whoever gives the secret itself must not read it again in a log; no secret is as short as 15 characters, or an id. */
function unknownKey(reference: string): HearthError {
  const harmless = reference.length < 16 || /^[0-9a-f-]{16,36}$/.test(reference);
  const shown = harmless ? reference : redactSecret(reference);
  return new HearthError("not_found", `Cannot find API key '${shown}'.`, { param: "id" });
}

function checkName(name: string): void {
  const characters = [...name.trim()].length;
  if (characters === 0 || [...name].length > nameCharactersMax)
    throw invalid("name", `must have 1 to ${nameCharactersMax} characters`);
  if (/\p{Cc}|\p{Cs}|\u2028|\u2029/u.test(name)) throw invalid("name", "must not have control characters");
}

function checkAcls(acls: readonly string[]): void {
  if (acls.length > aclsMax) throw invalid("acls", `must not be more than ${aclsMax}`);
  acls.forEach((acl, index) => {
    if (!isAcl(acl))
      throw invalid(
        `acls.${index}`,
        `must be api-key:endpoint:<name> with one of ${endpointNames.join(", ")} or *, or api-key:model:<name or *>`,
      );
  });
}

function isAcl(acl: string): boolean {
  const endpoints: readonly string[] = [...endpointNames, "*"];
  const [, kind, name = ""] = /^api-key:(endpoint|model):([\x21-\x7e]+)$/.exec(acl) ?? [];
  if (kind === undefined || acl.length > aclCharactersMax) return false;
  return kind === "model" || endpoints.includes(name);
}

function checkExpireTime(expireTime: number | null, now: number): void {
  if (expireTime === null) return;
  if (!Number.isSafeInteger(expireTime) || expireTime <= now)
    throw invalid("expireTime", "must be in the future");
}

function invalid(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param} ${what}.`, { param });
}
