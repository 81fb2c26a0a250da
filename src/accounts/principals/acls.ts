/**
 * The ACLs of API keys: `api-key:endpoint:<name>` and `api-key:model:<name>`; `*` matches all names. `api-key:group:<name>` stands for the
 * ACLs of an access group.
 */

/** ACLs that grant every endpoint and every model. */
export const allAcls: readonly string[] = ["api-key:endpoint:*", "api-key:model:*"];

const aclCharactersMax = 300;

/** Names of endpoints in ACLs. */
export const endpointNames = [
  "chat",
  "embed",
  "image",
  "models",
  "sample",
  "tokenize",
  "documents",
  "files",
  "batches",
  "metrics",
] as const;

const groupPrefix = "api-key:group:";

/** Whether a text is a valid name of an access group. */
export function isGroupName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}

/** Returns the ACL that stands for the ACLs of an access group. */
export function groupAcl(name: string): string {
  return groupPrefix + name;
}

/** Returns the name of the access group that an ACL stands for; null: it is another ACL. */
export function readGroupName(acl: string): string | null {
  if (!acl.startsWith(groupPrefix)) return null;
  const name = acl.slice(groupPrefix.length);
  return isGroupName(name) ? name : null;
}

/** Returns the names of the access groups in ACLs. */
export function groupsIn(acls: readonly string[]): readonly string[] {
  return acls.map(readGroupName).filter((name) => name !== null);
}

/** Whether a text is a valid ACL of an endpoint or a model. */
export function isAcl(acl: string): boolean {
  const endpoints: readonly string[] = [...endpointNames, "*"];
  const [, kind, name = ""] = /^api-key:(endpoint|model):([\x21-\x7e]+)$/.exec(acl) ?? [];
  if (kind === undefined || acl.length > aclCharactersMax) return false;
  return kind === "model" || endpoints.includes(name);
}
