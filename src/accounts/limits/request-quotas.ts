/** Determines which limits apply to a request, and what is left of them. */
import type { ApiKey, Principal } from "../keys/api-key.js";
import type { Limits, LimitStatus, LimitStatuses } from "../../core/limits.js";
import type { Team } from "../teams/team.js";
import { allModels, type TeamLimits } from "./team-limit.js";
import type { Demand, LimitName, Quota } from "./quota-counter.js";

/** Returns the quotas of a key. */
export function keyQuotas(key: ApiKey, names: readonly LimitName[]): readonly Quota[] {
  return quotasOf(key, names, { scope: `key ${key.id}`, subject: `API key ${key.redacted}` });
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

/** @param teamLimits the limits of the team that hold for the model. */
export function modelQuotas(
  { key, team }: Principal,
  model: string,
  teamLimits: readonly TeamLimits[],
): ModelQuotas {
  const quotas = (names: readonly LimitName[]) =>
    teamLimits.flatMap((limits) => quotasOf(limits, names, scopeOf(team, limits, model)));
  return { requests: quotas(["qps", "qpm"]), tokens: [...quotas(["tpm"]), ...keyQuotas(key, ["tpm"])] };
}

function scopeOf({ id }: Team, limits: TeamLimits, model: string): Pick<Quota, "scope" | "subject"> {
  if (limits.model === allModels) return { scope: `team ${id}`, subject: `all models in team ${id}` };
  return { scope: `team ${id} ${model}`, subject: `${model} in team ${id}` };
}

/**
 * Returns, for requests and for tokens, the limit with the least remaining; of several, the one that resets last.
 * @param statuses what is left for each of the demands.
 */
export function limitStatusesOf(demands: readonly Demand[], statuses: readonly LimitStatus[]): LimitStatuses {
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

function quotasOf(
  limits: Limits,
  names: readonly LimitName[],
  scope: Pick<Quota, "scope" | "subject">,
): readonly Quota[] {
  return names.flatMap((name) => {
    const limit = limits[name];
    return limit === null ? [] : [{ ...scope, name, limit }];
  });
}
