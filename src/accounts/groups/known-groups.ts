import { invalid } from "../field-rules.js";
import { readGroupName } from "../principals/acls.js";
import type { AccessGroupStore } from "./store.js";

/**
 * Checks that the groups which ACLs name exist.
 * @param before ACLs that were there already: a group that they name is not checked
 * @throws HearthError `invalid_value` naming the ACL.
 */
export async function checkGroupsExist(
  groups: AccessGroupStore,
  acls: readonly string[] | null | undefined,
  before: readonly string[] | null = null,
): Promise<void> {
  const added = (acls ?? []).flatMap((acl, index) => {
    const name = readGroupName(acl);
    return name === null || before?.includes(acl) === true ? [] : [{ name, index }];
  });
  if (added.length === 0) return;
  const known = new Set((await groups.findAll(added.map(({ name }) => name))).map(({ name }) => name));
  for (const { name, index } of added)
    if (!known.has(name))
      throw invalid(`acls.${index}`, `names the access group '${name}', which does not exist`);
}
