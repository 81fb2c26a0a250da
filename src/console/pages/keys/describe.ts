/** What a key may do, and whether it works, in a few words. */

const endpointPrefix = "api-key:endpoint:";
const modelPrefix = "api-key:model:";
const groupPrefix = "api-key:group:";

export interface Access {
  /** Names of endpoints; null: all. */
  readonly endpoints: readonly string[] | null;
  /** Names of models; null: all. */
  readonly models: readonly string[] | null;
  /** Names of access groups. */
  readonly groups: readonly string[];
}

export const everything: Access = { endpoints: null, models: null, groups: [] };

/** Reads the ACLs of a key. */
export function readAccess(acls: readonly string[]): Access {
  return {
    endpoints: namesAfter(endpointPrefix, acls),
    models: namesAfter(modelPrefix, acls),
    groups: namesAfter(groupPrefix, acls) ?? [],
  };
}

/** Returns the ACLs that give this access. */
export function listAcls({ endpoints, models, groups }: Access): readonly string[] {
  return [
    ...(endpoints ?? ["*"]).map((name) => endpointPrefix + name),
    ...(models ?? ["*"]).map((name) => modelPrefix + name),
    ...groups.map((name) => groupPrefix + name),
  ];
}

/** Returns `everything`, `chat, embed on all models`, `what small-models has` and the like. */
export function aclText(acls: readonly string[]): string {
  const { groups } = readAccess(acls);
  const own = ownText(acls);
  if (groups.length === 0) return own;
  const ofGroups = `what ${groups.join(", ")} ${groups.length === 1 ? "has" : "have"}`;
  return own === "nothing" ? ofGroups : `${own}, and ${ofGroups}`;
}

function ownText(acls: readonly string[]): string {
  const { endpoints, models } = readAccess(acls);
  if (endpoints?.length === 0 || models?.length === 0) return "nothing";
  if (endpoints === null && models === null) return "everything";
  return `${endpoints?.join(", ") ?? "all endpoints"} on ${models?.join(", ") ?? "all models"}`;
}

function namesAfter(prefix: string, acls: readonly string[]): readonly string[] | null {
  const names = acls.filter((acl) => acl.startsWith(prefix)).map((acl) => acl.slice(prefix.length));
  return names.includes("*") ? null : names;
}
