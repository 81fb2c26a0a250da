/**
 * How something is done: the change and what the audit log says of it, in one transaction, or neither. It owns the words and
 * fields of the log, from which every secret and hash is left out by naming what is in; who may do what is elsewhere.
 */
import type { ApiKey } from "../keys/api-key.js";
import type { Act, Actor, AuditedFields, AuditStore } from "./event.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKey } from "../management-keys/management-key.js";
import type { Member } from "../members/member.js";
import type { Random } from "../../core/random.js";
import type { Team } from "../teams/team.js";
import type { Write, Writes } from "../../store/write.js";

export interface ActsDeps {
  readonly audit: AuditStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly random: Random;
}

/** One act on one thing. */
export interface Deed extends Told {
  readonly change: Write;
}

/** What the log says of an act. */
export interface Told {
  readonly act: Act;
  readonly objectId: string;
  readonly teamId: string | null;
  readonly description: string;
  readonly before: AuditedFields | null;
  readonly after: AuditedFields | null;
}

const attemptsMax = 5;

/** Does it and logs it. @throws HearthError `conflict` when the thing is not as it was read any more. */
export async function carryOut(deps: ActsDeps, actor: Actor, { change, ...told }: Deed): Promise<void> {
  await deps.writes.commit([change, telling(deps, actor, told)]);
}

/** The entry of the log, to be written with what it tells of. */
export function telling({ audit, clock, random }: Omit<ActsDeps, "writes">, actor: Actor, told: Told): Write {
  return audit.insertion({
    ...told,
    ...{ id: random.id(), time: clock.now(), actor: actor.id, userId: actor.userId },
  });
}

/** Reads, decides and acts anew when somebody else was quicker. */
export async function persistently<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const beaten = thrown instanceof HearthError && thrown.kind === "conflict";
      if (!beaten || attempts === attemptsMax) throw thrown;
    }
  }
}

/** A key as the log shows it. */
export function auditedKey(key: ApiKey): AuditedFields {
  return {
    name: key.name,
    redactedApiKey: key.redacted,
    aclStrings: key.acls,
    disabled: key.disabled,
    blocked: key.blocked,
    expireTime: timeOf(key.expireTime),
    qps: key.qps,
    qpm: key.qpm,
    tpm: key.tpm,
    oldSecretExpireTime: timeOf(key.previousExpireTime),
    ipRanges: key.ipRanges,
  };
}

/** A team as the log shows it. */
export function auditedTeam({ name, billing, blocked, weight }: Team): AuditedFields {
  return { name, billing, blocked, weight };
}

/** A management key as the log shows it. */
export function auditedManagementKey(key: ManagementKey): AuditedFields {
  return {
    name: key.name,
    redactedApiKey: key.redacted,
    acls: key.acls,
    expireTime: timeOf(key.expireTime),
    ipRanges: key.ipRanges,
    teamId: key.teamId,
    ownerUserId: key.userId,
  };
}

/** What the log says when a management key goes. */
export function managementKeyRemoval(key: ManagementKey): Told {
  return {
    act: "DeleteManagementKey",
    objectId: key.id,
    teamId: key.teamId,
    description: `Deleted the management key '${key.name}'`,
    before: auditedManagementKey(key),
    after: null,
  };
}

/** A member as the log shows them. */
export function auditedMember({ email, givenName, familyName, role, teamId }: Member): AuditedFields {
  return { email, givenName, familyName, role, teamId };
}

function timeOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
