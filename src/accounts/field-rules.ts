/** Validates names, ACLs, limits and times. Each check throws a HearthError `invalid_value` that names the field. */
import { isAcl, endpointNames, readGroupName } from "./principals/acls.js";
import { HearthError } from "../core/errors.js";
import { isManagementAcl, managementEndpoints } from "./principals/manager-permissions.js";

const nameCharactersMax = 100;
const emailCharactersMax = 254;
const aclsMax = 100;

/** Checks the name of a key or team: 1 to 100 printable characters. */
export function checkName(name: string): void {
  const characters = [...name.trim()].length;
  if (characters === 0 || [...name].length > nameCharactersMax)
    throw invalid("name", `must have 1 to ${nameCharactersMax} characters`);
  if (unprintable.test(name)) throw invalid("name", "must not have control characters");
}

/** Checks a name of a member: at most 100 printable characters; it may be empty. */
export function checkPersonName(field: "givenName" | "familyName", name: string): void {
  if ([...name].length > nameCharactersMax)
    throw invalid(field, `must have at most ${nameCharactersMax} characters`);
  if (unprintable.test(name)) throw invalid(field, "must not have control characters");
}

/** Checks a member's e-mail address: text, one @ and text. */
export function checkEmail(email: string): void {
  if (email.length > emailCharactersMax)
    throw invalid("email", `must have at most ${emailCharactersMax} characters`);
  if (unprintable.test(email) || !/^[^@\s]+@[^@\s]+$/.test(email))
    throw invalid("email", "must be an e-mail address, such as ada@example.com");
}

const mustBeAcl = `must be api-key:endpoint:<name> with one of ${endpointNames.join(", ")} or *, or api-key:model:<name or *>`;

/** Checks the ACLs of an API key, or those that a team allows its keys. Whether groups exist is not checked. */
export function checkAcls(acls: readonly string[]): void {
  checkEach(
    acls,
    (acl) => isAcl(acl) || readGroupName(acl) !== null,
    `${mustBeAcl}, or api-key:group:<name>`,
  );
}

/** Checks the ACLs of an access group. */
export function checkAccessAcls(acls: readonly string[]): void {
  checkEach(acls, isAcl, mustBeAcl);
}

/** Checks the ACLs of a management key. */
export function checkManagementAcls(acls: readonly string[]): void {
  const must = `must be team-token:endpoint:<name> with one of ${managementEndpoints.join(", ")} or *`;
  checkEach(acls, isManagementAcl, must);
}

/** Checks an expiry time, in milliseconds since the epoch; null = never. */
export function checkExpireTime(expireTime: number | null, now: number): void {
  if (expireTime === null) return;
  if (!Number.isSafeInteger(expireTime) || expireTime <= now)
    throw invalid("expireTime", "must be in the future");
}

/** Checks a rate limit; null = no limit. */
export function checkLimit(field: string, limit: number | null, max: number): void {
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 1 || limit > max))
    throw invalid(field, `must be a whole number from 1 to ${max}`);
}

/** Checks the model of a team limit: any model name that an ACL may contain. */
export function checkModelId(model: string): void {
  if (!isAcl(`api-key:model:${model}`))
    throw invalid("model", "must be the id of a model, *, total or each-end-user");
}

/** Control characters and characters that change the text direction. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Returns an `invalid_value` error. @param what the rest of the sentence that starts with the field's name. */
export function invalid(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param} ${what}.`, { param });
}

function checkEach(acls: readonly string[], isOne: (acl: string) => boolean, must: string): void {
  if (acls.length > aclsMax) throw invalid("acls", `must not be more than ${aclsMax}`);
  acls.forEach((acl, index) => {
    if (!isOne(acl)) throw invalid(`acls.${index}`, must);
  });
}
