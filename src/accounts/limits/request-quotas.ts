/** Which limits hold of a request, and what is left of them. */
import type { ApiKey, Principal } from "../keys/api-key.js";
import { noLimits, type Limits, type Standing, type Standings } from "../../core/limits.js";
import type { Demand, LimitName, Quota, Quotas } from "./quotas.js";

/** Of the key itself. */
export function keyQuotas(key: ApiKey, names: readonly LimitName[]): readonly Quota[] {
  return quotasOf(key, names, { scope: `key ${key.id}`, subject: `API key ${key.redacted}` });
}

/** What a request of a model is counted against, beside what its key's requests are. */
export interface WorkQuotas {
  readonly requests: readonly Quota[];
  readonly tokens: readonly Quota[];
}

/** @param ofTeam the limits of the team on the model; null where it has none. */
export function workQuotas({ key, team }: Principal, model: string, ofTeam: Limits | null): WorkQuotas {
  const limits = ofTeam ?? noLimits;
  const whose = { scope: `team ${team.id} ${model}`, subject: `${model} in team ${team.id}` };
  return {
    requests: quotasOf(limits, ["qps", "qpm"], whose),
    tokens: [...quotasOf(limits, ["tpm"], whose), ...keyQuotas(key, ["tpm"])],
  };
}

/** Of each kind, the limit of which least is left; of several, the one that is whole again last. */
export function standingsOf(quotas: Quotas, demands: readonly Demand[], now: number): Standings {
  const tightest: Record<keyof Standings, Standing | null> = { requests: null, tokens: null };
  for (const { quota } of demands) {
    const kind = quota.name === "tpm" ? "tokens" : "requests";
    const standing = quotas.standing(quota, now);
    if (isTighter(standing, tightest[kind])) tightest[kind] = standing;
  }
  return tightest;
}

function isTighter(one: Standing, other: Standing | null): boolean {
  if (other === null || one.remaining !== other.remaining)
    return one.remaining < (other?.remaining ?? Infinity);
  return one.resetMs > other.resetMs;
}

function quotasOf(
  limits: Limits,
  names: readonly LimitName[],
  whose: Pick<Quota, "scope" | "subject">,
): readonly Quota[] {
  return names.flatMap((name) => {
    const limit = limits[name];
    return limit === null ? [] : [{ ...whose, name, limit }];
  });
}
