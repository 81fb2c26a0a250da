/**
 * Creates, reads, changes and deletes access groups. They belong to the server: actors of a single team can only read them. Every change is
 * audited, and is effective at the next request of each key that has the group.
 */
import type { Actor, AuditAction, AuditedFields } from "../audit/event.js";
import { commitAudited, retryOnConflict, type AuditDeps } from "../audit/audited-change.js";
import { checkAccessAcls, invalid } from "../field-rules.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import { HearthError } from "../../core/errors.js";
import type { Write } from "../../store/writes.js";
import { isGroupName } from "../principals/acls.js";
import type { AccessGroup, GroupUse } from "./access-group.js";
import type { AccessGroupStore } from "./store.js";

/** A change of a group; absent fields stay as they are. */
export type AccessGroupChange = Partial<Pick<AccessGroup, "description" | "acls">>;

interface NewAccessGroup extends Required<AccessGroupChange> {
  readonly name: string;
}

export type AccessGroupService = ReturnType<typeof createAccessGroupService>;

interface AccessGroupServiceDeps extends AuditDeps {
  readonly accessGroups: AccessGroupStore;
}

const groupsMax = 1_000;
const descriptionCharsMax = 500;

export function createAccessGroupService(deps: AccessGroupServiceDeps) {
  const { accessGroups } = deps;
  return {
    /** @throws HearthError `invalid_value` naming the field, `permission_denied`, `conflict` when the name is taken. */
    create: (group: NewAccessGroup, actor: Actor): Promise<AccessGroup> => create(deps, group, actor),
    /** Returns all groups in order of name. */
    list: (): Promise<readonly AccessGroup[]> => accessGroups.list(),
    /** @throws HearthError `not_found`. */
    find: (name: string): Promise<AccessGroup> => find(deps, name),
    /** @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied`. */
    update: (name: string, change: AccessGroupChange, actor: Actor): Promise<AccessGroup> =>
      retryOnConflict(() => update(deps, name, change, actor)),
    /** @throws HearthError `not_found`, `permission_denied`, `conflict` when API keys or teams have the group. */
    remove: (name: string, actor: Actor): Promise<AccessGroup> => remove(deps, name, actor),
  };
}

async function create(
  deps: AccessGroupServiceDeps,
  { name, description, acls }: NewAccessGroup,
  actor: Actor,
): Promise<AccessGroup> {
  const { accessGroups, clock } = deps;
  refuseTeamActor(actor);
  if (!isGroupName(name))
    throw invalid("name", "must be 1 to 64 letters, digits, dots, hyphens and underscores");
  checkFields({ description, acls });
  const all = await accessGroups.list();
  if (all.some((each) => each.name === name)) throw taken(name);
  if (all.length >= groupsMax)
    throw new HearthError(
      "conflict",
      `There are ${groupsMax} access groups already; no more can be created.`,
    );
  const now = clock.now();
  const group: AccessGroup = { name, description, acls, createTime: now, modifyTime: now };
  await commit(deps, "CreateAccessGroup", null, group, accessGroups.insertion(group), actor);
  return group;
}

async function find({ accessGroups }: AccessGroupServiceDeps, name: string): Promise<AccessGroup> {
  const group = await accessGroups.find(name);
  if (group === null) throw new HearthError("not_found", "Cannot find access group", { param: "groupName" });
  return group;
}

async function update(
  deps: AccessGroupServiceDeps,
  name: string,
  change: AccessGroupChange,
  actor: Actor,
): Promise<AccessGroup> {
  refuseTeamActor(actor);
  const before = await find(deps, name);
  checkFields(change);
  const after = { ...before, ...change, modifyTime: deps.clock.now() };
  const write = deps.accessGroups.replacement(before, after);
  await commit(deps, "UpdateAccessGroup", before, after, write, actor);
  return after;
}

async function remove(deps: AccessGroupServiceDeps, name: string, actor: Actor): Promise<AccessGroup> {
  refuseTeamActor(actor);
  const group = await find(deps, name);
  refuseUsed(name, await deps.accessGroups.readUse(name));
  await commit(deps, "DeleteAccessGroup", group, null, deps.accessGroups.removal(group), actor);
  return group;
}

function refuseTeamActor(actor: Actor): void {
  if (actor.teamId !== null) throw deniedToTeamKey("change access groups");
}

function refuseUsed(name: string, { keys, teams }: GroupUse): void {
  if (keys + teams === 0) return;
  const users = [counted(keys, "API key"), counted(teams, "team")]
    .filter((text) => text !== "")
    .join(" and ");
  throw new HearthError(
    "conflict",
    `The access group '${name}' cannot be deleted: ${users} ${keys + teams === 1 ? "has" : "have"} the ACL api-key:group:${name}.`,
  );
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}

function taken(name: string): HearthError {
  return new HearthError("conflict", `There is an access group '${name}' already.`, { param: "name" });
}

function checkFields({ description, acls }: AccessGroupChange): void {
  if (description !== undefined && description.length > descriptionCharsMax)
    throw invalid("description", `must have at most ${descriptionCharsMax} characters`);
  if (acls !== undefined) checkAccessAcls(acls);
}

type GroupAction = Extract<AuditAction, `${string}AccessGroup`>;

const verbs: Readonly<Record<GroupAction, string>> = {
  CreateAccessGroup: "Created",
  UpdateAccessGroup: "Updated",
  DeleteAccessGroup: "Deleted",
};

async function commit(
  deps: AccessGroupServiceDeps,
  action: GroupAction,
  before: AccessGroup | null,
  after: AccessGroup | null,
  change: Write,
  actor: Actor,
): Promise<void> {
  const name = (after ?? before)?.name ?? "";
  await commitAudited(deps, actor, {
    action,
    objectId: name,
    teamId: null,
    description: `${verbs[action]} the access group '${name}'`,
    before: before && auditedGroup(before),
    after: after && auditedGroup(after),
    change,
  });
}

function auditedGroup({ name, description, acls }: AccessGroup): AuditedFields {
  return { name, description, aclStrings: acls };
}
