/**
 * Commits a change and its entry in the audit log in one transaction. It defines which fields of an object the log shows:
 * listing them one by one keeps secrets and hashes out.
 */
import { auditedTime, type Actor, type AuditEntry, type AuditedFields } from "./event.js";
import type { AuditStore } from "./store.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKey } from "../principals/management-key.js";
import type { Member } from "../principals/member.js";
import type { Random } from "../../core/random.js";
import type { Team } from "../principals/team.js";
import type { Write, Writes } from "../../store/writes.js";

export interface AuditDeps {
  readonly audit: AuditStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly random: Random;
}

/** A change of one object, with its entry in the audit log. */
export interface AuditedChange extends AuditEntry {
  readonly change: Write;
}

const attemptsMax = 5;

/** Commits a change and its audit entry. @throws HearthError `conflict` when the object was changed since it was read. */
export async function commitAudited(
  deps: AuditDeps,
  actor: Actor,
  { change, ...entry }: AuditedChange,
): Promise<void> {
  await deps.writes.commit([change, auditEntry(deps, actor, entry)]);
}

/** Commits entries about what is not in the database. */
export async function commitEntries(
  deps: AuditDeps,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await deps.writes.commit(entries.map((entry) => auditEntry(deps, actor, entry)));
}

/** Prepares an audit entry, to be committed together with the change it describes. */
export function auditEntry(
  { audit, clock, random }: Omit<AuditDeps, "writes">,
  actor: Actor,
  entry: AuditEntry,
): Write {
  return audit.insertion({
    ...entry,
    id: random.id(),
    time: clock.now(),
    actor: actor.id,
    userId: actor.userId,
  });
}

/** Calls `attempt` again, a bounded number of times, when it fails because of a concurrent change. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const isConflict = thrown instanceof HearthError && thrown.kind === "conflict";
      if (!isConflict || attempts === attemptsMax) throw thrown;
    }
  }
}

/** Returns a team as the audit log shows it. */
export function auditedTeam({
  name,
  billing,
  blocked,
  weight,
  acls,
  keepsBodies: keepBodies,
}: Team): AuditedFields {
  return { name, billing, blocked, weight, aclStrings: acls, keepBodies };
}

/** Returns a management key as the audit log shows it. */
export function auditedManagementKey(key: ManagementKey): AuditedFields {
  return {
    name: key.name,
    redactedApiKey: key.redacted,
    acls: key.acls,
    expireTime: auditedTime(key.expireTime),
    ipRanges: key.ipRanges,
    teamId: key.teamId,
    ownerUserId: key.userId,
  };
}

/** Returns the audit entry of the removal of a management key. */
export function managementKeyRemoval(key: ManagementKey): AuditEntry {
  return {
    action: "DeleteManagementKey",
    objectId: key.id,
    teamId: key.teamId,
    description: `Deleted the management key '${key.name}'`,
    before: auditedManagementKey(key),
    after: null,
  };
}

/** Returns a member as the audit log shows them. */
export function auditedMember({ email, givenName, familyName, role, teamId }: Member): AuditedFields {
  return { email, givenName, familyName, role, teamId };
}
