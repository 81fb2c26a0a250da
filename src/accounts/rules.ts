/** What names, ACLs, limits and times may be; each refusal is a HearthError `invalid_value` that names the field. */
import { HearthError } from "../core/errors.js";
import { isAcl, endpointNames } from "./permissions.js";
import { isManagementAcl, managementEndpoints } from "./management-permissions.js";

const nameCharactersMax = 100;
const aclsMax = 100;
const int32Max = 2 ** 31 - 1;

/** The largest limit of each kind, in requests per second and per minute and in tokens per minute. */
export const limitsMax = { qps: int32Max, qpm: int32Max, tpm: Number.MAX_SAFE_INTEGER } as const;

/** Of keys and teams: 1 to 100 characters that a terminal can print. */
export function checkName(name: string): void {
  const characters = [...name.trim()].length;
  if (characters === 0 || [...name].length > nameCharactersMax)
    throw invalid("name", `must have 1 to ${nameCharactersMax} characters`);
  if (/\p{Cc}|\p{Cs}|\u2028|\u2029/u.test(name)) throw invalid("name", "must not have control characters");
}

/** Of an API key. */
export function checkAcls(acls: readonly string[]): void {
  const must = `must be api-key:endpoint:<name> with one of ${endpointNames.join(", ")} or *, or api-key:model:<name or *>`;
  checkEach(acls, isAcl, must);
}

/** Of a management key. */
export function checkManagementAcls(acls: readonly string[]): void {
  const must = `must be team-token:endpoint:<name> with one of ${managementEndpoints.join(", ")} or *`;
  checkEach(acls, isManagementAcl, must);
}

/** Milliseconds since the epoch; null = never. */
export function checkExpireTime(expireTime: number | null, now: number): void {
  if (expireTime === null) return;
  if (!Number.isSafeInteger(expireTime) || expireTime <= now)
    throw invalid("expireTime", "must be in the future");
}

/** Of a key; null = none. */
export function checkLimit(field: keyof typeof limitsMax, limit: number | null): void {
  const most = limitsMax[field];
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 1 || limit > most))
    throw invalid(field, `must be a whole number from 1 to ${most}`);
}

export function invalid(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param} ${what}.`, { param });
}

function checkEach(acls: readonly string[], isOne: (acl: string) => boolean, must: string): void {
  if (acls.length > aclsMax) throw invalid("acls", `must not be more than ${aclsMax}`);
  acls.forEach((acl, index) => {
    if (!isOne(acl)) throw invalid(`acls.${index}`, must);
  });
}
