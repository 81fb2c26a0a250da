/** Determines which limits apply to a request, and what is left of them. */
import { createHash } from "node:crypto";
import type { ApiKey, Principal } from "../principals/api-key.js";
import type { Limits, LimitStatus, LimitStatuses } from "../../core/limits.js";
import type { Team } from "../principals/team.js";
import { allModels, eachEndUser, type TeamLimits } from "../principals/team-limit.js";
import type { Demand, LimitName, Quota } from "./quota-counter.js";

/** Returns the quotas of a key. */
export function keyQuotas(key: ApiKey, names: readonly LimitName[]): readonly Quota[] {
  return listQuotas(key, names, { scope: `key ${key.id}`, subject: `API key ${key.redacted}` });
}

/** Reads of one key in a minute: a hundred in every second, more than clients that poll for many results need. */
const readsPerMinuteMax = 6_000;

/** Returns the quota of the reads of a key. */
export function readQuota({ id, redacted }: ApiKey): Quota {
  return {
    name: "qpm",
    limit: readsPerMinuteMax,
    scope: `reads ${id}`,
    subject: `reads of API key ${redacted}`,
  };
}

/** The quotas that apply to a request of a model, in addition to the request quotas of its key. */
export interface ModelQuotas {
  readonly requests: readonly Quota[];
  readonly tokens: readonly Quota[];
}

/** What a request names. */
export interface NamedInRequest {
  /** Id of the model. */
  readonly model: string;
  /** null = the request names none. */
  readonly endUser: string | null;
}

/** @param teamLimits the limits of the team that hold for the model. */
export function modelQuotas(
  { key, team }: Principal,
  named: NamedInRequest,
  teamLimits: readonly TeamLimits[],
): ModelQuotas {
  const ofKey = endUserQuotas(key, named.endUser);
  const quotas = (names: readonly LimitName[]) => [
    ...teamLimits.flatMap((limits) => {
      const scope = toScope(team, limits, named);
      return scope === null ? [] : listQuotas(limits, names, scope);
    }),
    ...ofKey(names),
  ];
  return { requests: quotas(["qps", "qpm"]), tokens: [...quotas(["tpm"]), ...keyQuotas(key, ["tpm"])] };
}

type Scope = Pick<Quota, "scope" | "subject" | "endUsersScope">;

/** The limits of a key on each end user; none for a request that names none. */
function endUserQuotas({ id, redacted, ...key }: ApiKey, endUser: string | null) {
  const limits = { qps: null, qpm: key.endUserQpm, tpm: key.endUserTpm };
  return (names: readonly LimitName[]): readonly Quota[] =>
    endUser === null
      ? []
      : listQuotas(limits, names, endUserScope(`key ${id}`, `API key ${redacted}`, endUser));
}

/** The name of an end user is not repeated in errors, which are logged. */
function endUserScope(of: string, subject: string, endUser: string): Scope {
  const name = endUser.length > hashedCharsMin ? createHash("sha256").update(endUser).digest("hex") : endUser;
  return { scope: `${of} end user ${name}`, subject: `this end user of ${subject}`, endUsersScope: of };
}

/** A longer name of an end user is counted by its hash, which takes less memory. */
const hashedCharsMin = 64;

/** Returns null for limits that do not hold for the request. */
function toScope({ id }: Team, limits: TeamLimits, { model, endUser }: NamedInRequest): Scope | null {
  if (limits.model === eachEndUser)
    return endUser === null ? null : endUserScope(`team ${id}`, `team ${id}`, endUser);
  if (limits.model === allModels) return { scope: `team ${id}`, subject: `all models in team ${id}` };
  return { scope: `team ${id} ${model}`, subject: `${model} in team ${id}` };
}

/**
 * Returns, for requests and for tokens, the limit with the least remaining; of several, the one that resets last.
 * @param statuses what is left for each of the demands.
 */
export function toLimitStatuses(demands: readonly Demand[], statuses: readonly LimitStatus[]): LimitStatuses {
  const tightest: Record<keyof LimitStatuses, LimitStatus | null> = { requests: null, tokens: null };
  demands.forEach(({ quota }, index) => {
    const kind = quota.name === "tpm" ? "tokens" : "requests";
    const status = statuses[index];
    if (status !== undefined && isTighter(status, tightest[kind])) tightest[kind] = status;
  });
  return tightest;
}

function isTighter(one: LimitStatus, other: LimitStatus | null): boolean {
  if (other === null || one.remaining !== other.remaining)
    return one.remaining < (other?.remaining ?? Infinity);
  return one.resetMs > other.resetMs;
}

function listQuotas(limits: Limits, names: readonly LimitName[], scope: Scope): readonly Quota[] {
  return names.flatMap((name) => {
    const limit = limits[name];
    return limit === null ? [] : [{ ...scope, name, limit }];
  });
}
