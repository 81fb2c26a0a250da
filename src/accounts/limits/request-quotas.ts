/** Determines which limits apply to a request, and what is left of them. */
import type { ApiKey, Principal } from "../keys/api-key.js";
import { noLimits, type Limits, type LimitStatus, type LimitStatuses } from "../../core/limits.js";
import type { Demand, LimitName, Quota, Quotas } from "./quotas.js";

/** Returns the quotas of a key. */
export function keyQuotas(key: ApiKey, names: readonly LimitName[]): readonly Quota[] {
  return quotasOf(key, names, { scope: `key ${key.id}`, subject: `API key ${key.redacted}` });
}

/** The quotas that apply to a request of a model, in addition to the request quotas of its key. */
export interface ModelQuotas {
  readonly requests: readonly Quota[];
  readonly tokens: readonly Quota[];
}

/** @param teamLimits the team's limits on the model; null when it has none. */
export function modelQuotas({ key, team }: Principal, model: string, teamLimits: Limits | null): ModelQuotas {
  const limits = teamLimits ?? noLimits;
  const scope = { scope: `team ${team.id} ${model}`, subject: `${model} in team ${team.id}` };
  return {
    requests: quotasOf(limits, ["qps", "qpm"], scope),
    tokens: [...quotasOf(limits, ["tpm"], scope), ...keyQuotas(key, ["tpm"])],
  };
}

/** Returns, for requests and for tokens, the limit with the least remaining; of several, the one that resets last. */
export function limitStatusesOf(quotas: Quotas, demands: readonly Demand[], now: number): LimitStatuses {
  const tightest: Record<keyof LimitStatuses, LimitStatus | null> = { requests: null, tokens: null };
  for (const { quota } of demands) {
    const kind = quota.name === "tpm" ? "tokens" : "requests";
    const standing = quotas.limitStatus(quota, now);
    if (isTighter(standing, tightest[kind])) tightest[kind] = standing;
  }
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
