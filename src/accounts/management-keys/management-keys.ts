import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { ManagementKey } from "../principals/management-key.js";
import type { ManagementKeyStore } from "./store.js";
import type { Member } from "../principals/member.js";
import type { TeamStore } from "../teams/store.js";
import {
  auditedManagementKey,
  commitAudited,
  managementKeyRemoval,
  type AuditDeps,
} from "../audit/audited-change.js";
import { checkIpRanges } from "../credentials/ip-ranges.js";
import { allManagementAcls } from "../principals/manager-permissions.js";
import { resolveReference } from "../../core/resolve-reference.js";
import { checkExpireTime, checkManagementAcls, checkName, invalid } from "../field-rules.js";
import { redactSecret } from "../../core/report/redact-secret.js";
import { hashSecret, issueSecret } from "../credentials/secret.js";
import { findVisibleTeam } from "../teams/teams.js";

export interface CreateManagementKeyRequest {
  /** null = all teams. */
  readonly teamId: string | null;
  readonly name: string;
  /** All endpoints of the management plane when absent. */
  readonly acls?: readonly string[];
  /** Milliseconds since the epoch; null or absent = never. */
  readonly expireTime?: number | null;
  /** IP addresses and CIDR ranges from which it may be used; null or absent = any address. */
  readonly ipRanges?: readonly string[] | null;
  /** Id of the member it belongs to, whose role and team limit what it may do; null or absent = no member. */
  readonly memberId?: string | null;
}

/** Creates, lists and removes management keys, for the command line only; no route does. */
export type ManagementKeyService = ReturnType<typeof createManagementKeyService>;

interface ManagementKeyServiceDeps extends AuditDeps {
  readonly managementKeys: ManagementKeyStore;
  /** Returns a member; null when there is none. */
  readonly findMember: (id: string) => Promise<Member | null>;
  readonly teams: TeamStore;
}

export function createManagementKeyService(deps: ManagementKeyServiceDeps) {
  const { managementKeys, teams, clock, random } = deps;
  return {
    /**
     * Creates a key. The secret is not stored and cannot be shown again.
     * @throws HearthError `invalid_value` naming the field, `not_found` when the team or the member does not exist.
     */
    async create(
      request: CreateManagementKeyRequest,
      actor: Actor,
    ): Promise<{ readonly key: ManagementKey; readonly secret: string }> {
      checkName(request.name);
      checkManagementAcls(request.acls ?? []);
      checkExpireTime(request.expireTime ?? null, clock.now());
      checkIpRanges(request.ipRanges ?? null);
      if (request.teamId !== null) await findVisibleTeam(teams, request.teamId, actor);
      if (request.memberId != null) await checkMember(deps, request.memberId, request.teamId);
      const secret = issueSecret("hm-", random);
      return { key: await addManagementKey(deps, secret, request, actor), secret };
    },
    /** Returns all keys in order of creation. */
    list: (): Promise<readonly ManagementKey[]> => managementKeys.list(),
    /**
     * Removes the key with this id, start of an id, name, or redacted form.
     * @throws HearthError `not_found` when there is none, `conflict` when there are several.
     */
    async remove(reference: string, actor: Actor): Promise<ManagementKey> {
      const all = await managementKeys.list();
      const key = resolveReference(
        "management key",
        reference,
        all,
        ({ redacted, name }) => redacted === reference || name === reference,
        ({ name }) => name,
      );
      await commitAudited(deps, actor, { ...managementKeyRemoval(key), change: managementKeys.removal(key) });
      return key;
    },
  };
}

/** Creates the key of a given secret. */
export async function addManagementKey(
  deps: Omit<ManagementKeyServiceDeps, "findMember" | "teams">,
  secret: string,
  request: CreateManagementKeyRequest,
  actor: Actor,
): Promise<ManagementKey> {
  const { teamId, name, acls = allManagementAcls, expireTime = null, ipRanges = null, memberId } = request;
  const now = deps.clock.now();
  const key: ManagementKey = {
    id: deps.random.id(),
    teamId,
    userId: memberId ?? actor.userId,
    name,
    hash: hashSecret(secret),
    redacted: redactSecret(secret),
    acls,
    expireTime,
    ipRanges,
    lastUseTime: null,
    createTime: now,
    modifyTime: now,
  };
  await commitAudited(deps, actor, {
    action: "CreateManagementKey",
    objectId: key.id,
    teamId,
    description: `Created the management key '${name}'`,
    before: null,
    after: auditedManagementKey(key),
    change: deps.managementKeys.insertion(key),
  });
  return key;
}

/** Checks that the member exists and may have a key for the team. */
async function checkMember(
  { findMember }: ManagementKeyServiceDeps,
  memberId: string,
  teamId: string | null,
): Promise<void> {
  const member = await findMember(memberId);
  if (member === null) throw new HearthError("not_found", "Cannot find member", { param: "memberId" });
  if (member.teamId !== null && member.teamId !== teamId)
    throw invalid("teamId", "must be the team of the member");
}
