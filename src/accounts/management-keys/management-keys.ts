import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKey, ManagementKeyStore } from "./management-key.js";
import type { MemberStore } from "../members/member.js";
import type { TeamStore } from "../teams/team.js";
import {
  auditedManagementKey,
  carryOut,
  managementKeyRemoval,
  type ActsDeps,
} from "../audit/audited-change.js";
import { checkIpRanges } from "../authentication/ip-ranges.js";
import { allManagementAcls } from "./permissions.js";
import { meant } from "../resolve-reference.js";
import { checkExpireTime, checkManagementAcls, checkName, invalid } from "../field-rules.js";
import { hashSecret, issueSecret, redactSecret } from "../authentication/secret.js";
import { teamSeen } from "../teams/teams.js";

/** What a new management key should be. */
export interface ManagementKeyWish {
  /** null = it sees all teams. */
  readonly teamId: string | null;
  readonly name: string;
  /** The whole management plane when left out. */
  readonly acls?: readonly string[];
  /** Milliseconds since the epoch; never when null or left out. */
  readonly expireTime?: number | null;
  /** Addresses and CIDR ranges that it may be used from; anywhere when null or left out. */
  readonly ipRanges?: readonly string[] | null;
  /** Id of the member whose it is: it may no more than their role and their team; nobody's when null or left out. */
  readonly memberId?: string | null;
}

/** Management keys, as the operator makes, lists and removes them; no route does. */
export interface ManagementKeyService {
  /** The secret is known only now. @throws HearthError `invalid_value` naming the field, `not_found` for the team or member. */
  create(
    wish: ManagementKeyWish,
    actor: Actor,
  ): Promise<{ readonly key: ManagementKey; readonly secret: string }>;
  /** In order of creation. */
  list(): Promise<readonly ManagementKey[]>;
  /** The one that a person means. @throws HearthError `not_found` when none is meant, `conflict` when more than one is. */
  remove(reference: string, actor: Actor): Promise<ManagementKey>;
}

export interface ManagementKeyServiceDeps extends ActsDeps {
  readonly managementKeys: ManagementKeyStore;
  readonly members: MemberStore;
  readonly teams: TeamStore;
}

/** Builds the service over its ports. */
export function createManagementKeyService(deps: ManagementKeyServiceDeps): ManagementKeyService {
  const { managementKeys, teams, clock, random } = deps;
  return {
    async create(wish, actor) {
      checkName(wish.name);
      checkManagementAcls(wish.acls ?? []);
      checkExpireTime(wish.expireTime ?? null, clock.now());
      checkIpRanges(wish.ipRanges ?? null);
      if (wish.teamId !== null) await teamSeen(teams, wish.teamId, actor);
      if (wish.memberId != null) await checkMember(deps, wish.memberId, wish.teamId);
      const secret = issueSecret("hm-", random);
      return { key: await addManagementKey(deps, secret, wish, actor), secret };
    },
    list: () => managementKeys.list(),
    async remove(reference, actor) {
      const all = await managementKeys.list();
      const key = meant("management key", reference, all, ({ redacted }) => redacted === reference);
      await carryOut(deps, actor, { ...managementKeyRemoval(key), change: managementKeys.removal(key) });
      return key;
    },
  };
}

/** Adds the key of a secret that is known already. */
export async function addManagementKey(
  deps: Omit<ManagementKeyServiceDeps, "members" | "teams">,
  secret: string,
  { teamId, name, acls = allManagementAcls, expireTime = null, ...wish }: ManagementKeyWish,
  actor: Actor,
): Promise<ManagementKey> {
  const now = deps.clock.now();
  const key: ManagementKey = {
    id: deps.random.id(),
    teamId,
    userId: wish.memberId ?? actor.userId,
    name,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    acls,
    expireTime,
    ipRanges: wish.ipRanges ?? null,
    lastUseTime: null,
    createTime: now,
    modifyTime: now,
  };
  await carryOut(deps, actor, {
    act: "CreateManagementKey",
    objectId: key.id,
    teamId,
    description: `Created the management key '${name}'`,
    before: null,
    after: auditedManagementKey(key),
    change: deps.managementKeys.insertion(key),
  });
  return key;
}

/** Whether that member can have a key of that team. */
async function checkMember(
  { members }: ManagementKeyServiceDeps,
  memberId: string,
  teamId: string | null,
): Promise<void> {
  const member = await members.find(memberId);
  if (member === null) throw new HearthError("not_found", "Cannot find member", { param: "memberId" });
  if (member.teamId !== null && member.teamId !== teamId)
    throw invalid("teamId", "must be the team of the member, who belongs to it alone");
}
