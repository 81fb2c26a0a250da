/** The ACLs of API keys: `api-key:endpoint:<name>` and `api-key:model:<name>`; `*` matches all names. */

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

/** Whether a text is a valid ACL of an API key. */
export function isAcl(acl: string): boolean {
  const endpoints: readonly string[] = [...endpointNames, "*"];
  const [, kind, name = ""] = /^api-key:(endpoint|model):([\x21-\x7e]+)$/.exec(acl) ?? [];
  if (kind === undefined || acl.length > aclCharactersMax) return false;
  return kind === "model" || endpoints.includes(name);
}
