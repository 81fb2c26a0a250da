/**
 * Who may ask how much: limits of keys and of teams, in sliding windows. A request is let in exactly when fewer than the limit were
 * in the last 1000 or 60,000 milliseconds; tokens, when those of the last 60,000 and the estimate of its prompt are not more than
 * the limit. Whoever is refused counts nowhere. Runs in hand are never cut; their true tokens count when they have ended.
 *
 * Two stations: requests of the key, before anything else is known of one; then, where a model is asked, requests of the team on
 * that model and tokens of both. What is counted is this process's alone: a restart begins with empty windows, and what was let in
 * before a limit was set is not counted against it.
 */
import type { Principal } from "../keys/api-key.js";
import type { Clock } from "../../core/clock.js";
import type { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { Admission, Standings } from "../../core/limits.js";
import type { TeamLimitStore } from "./team-limit.js";
import type { Usage } from "../../core/usage.js";
import { Quotas, type Demand, type Quota, type QuotaBounds, type Shortage } from "./quotas.js";
import { rateLimited } from "./rate-limit-refusal.js";
import { keyQuotas, standingsOf, workQuotas, type WorkQuotas } from "./request-quotas.js";

/** What became of a request at a station. */
export interface Admittance {
  readonly standings: Standings;
  /** Why it is not let in; null where it is. */
  readonly refusal: HearthError | null;
}

/** A request of a key, let in or not. */
export interface RequestAdmittance extends Admittance {
  readonly principal: Principal;
  readonly demands: readonly Demand[];
  /** When it was counted. */
  readonly countedAt: number;
}

export interface WorkAdmittance extends Admittance {
  /** To be settled when the work is over; of what is refused there is nothing to settle. */
  readonly admission: Admission;
}

export interface RateLimits {
  /** Counts a request of a key. @throws HearthError `overloaded` when there is no room to count more. */
  admitRequest(principal: Principal): RequestAdmittance;
  /**
   * Counts what a request that was let in asks of a model; where that is refused or cannot be counted, neither counts.
   * @param model its id. @param prompt what it is asked, or a text whose tokens are asked for.
   * @throws HearthError `overloaded` as above.
   */
  admitWork(
    request: RequestAdmittance,
    model: string,
    prompt: GenerationRequest | string,
  ): Promise<WorkAdmittance>;
  /** Keeps an admission for when work that was put off is done. */
  putOff(id: string, admission: Admission): void;
  /** The admission that was kept; or one without an estimate, where a restart or too many others came between. */
  takeUp(id: string, principal: Principal, model: string): Promise<Admission>;
}

export interface RateLimitDeps {
  readonly teamLimits: Pick<TeamLimitStore, "findFor">;
  readonly clock: Clock;
  /** Tokens of a prompt; asked only where a limit of tokens applies. */
  readonly estimate: (prompt: GenerationRequest | string) => Promise<number>;
  readonly bounds?: Partial<QuotaBounds>;
}

/** Admissions of work that was put off; beyond, the oldest is forgotten. */
const putOffMax = 10_000;

/** What nothing limits. */
export const unlimited: Admission = { settle: () => undefined };

/** Builds the limits over their ports, with nothing counted. */
export function createRateLimits(deps: RateLimitDeps): RateLimits {
  const counting: Counting = {
    ...deps,
    quotas: new Quotas(deps.bounds),
    now: () => Math.floor(deps.clock.monotonic()),
  };
  const kept = new Map<string, Admission>();
  return {
    admitRequest: (principal) => admitRequest(counting, principal),
    admitWork: (request, model, prompt) => admitWork(counting, request, model, prompt),
    putOff(id, admission) {
      kept.set(id, admission);
      const [oldest] = kept.keys();
      if (kept.size > putOffMax && oldest !== undefined) kept.delete(oldest);
    },
    async takeUp(id, principal, model) {
      const admission = kept.get(id);
      kept.delete(id);
      if (admission !== undefined) return admission;
      const { tokens } = await quotasFor(counting, principal, model);
      return admissionOf(counting, tokens, { estimated: 0, countedAt: counting.now() });
    },
  };
}

interface Counting extends RateLimitDeps {
  readonly quotas: Quotas;
  readonly now: () => number;
}

function admitRequest(counting: Counting, principal: Principal): RequestAdmittance {
  const { quotas } = counting;
  const now = counting.now();
  const demands = demandsOf(keyQuotas(principal.key, ["qps", "qpm"]), 1);
  const shortage = quotas.take(demands, now);
  return {
    principal,
    demands,
    countedAt: now,
    standings: standingsOf(quotas, demands, now),
    refusal: shortage === null ? null : rateLimited(shortage),
  };
}

async function admitWork(
  counting: Counting,
  request: RequestAdmittance,
  model: string,
  prompt: GenerationRequest | string,
): Promise<WorkAdmittance> {
  const { quotas, estimate } = counting;
  const limiting = await quotasFor(counting, request.principal, model);
  const tokens = limiting.tokens.length === 0 ? 0 : await estimate(prompt);
  const now = counting.now();
  const demands = [...demandsOf(limiting.requests, 1), ...demandsOf(limiting.tokens, tokens)];
  const takeBack = (): void => {
    for (const { quota, amount } of request.demands)
      quotas.takeBack(quota, amount, { countedAt: request.countedAt, now });
  };
  let shortage: Shortage | null;
  try {
    shortage = quotas.take(demands, now);
  } catch (thrown) {
    takeBack();
    throw thrown;
  }
  const all = [...request.demands, ...demands];
  if (shortage === null) {
    const admission = admissionOf(counting, limiting.tokens, { estimated: tokens, countedAt: now });
    return { admission, standings: standingsOf(quotas, all, now), refusal: null };
  }
  takeBack();
  // Others may have come to the key while this request was read.
  const refusal = rateLimited(quotas.shortage(all, now) ?? shortage);
  return { admission: unlimited, standings: standingsOf(quotas, all, now), refusal };
}

async function quotasFor({ teamLimits }: Counting, principal: Principal, model: string): Promise<WorkQuotas> {
  return workQuotas(principal, model, await teamLimits.findFor(principal.team.id, model));
}

function demandsOf(quotas: readonly Quota[], amount: number): readonly Demand[] {
  return quotas.map((quota) => ({ quota, amount }));
}

/** @param estimate tokens that are counted already, and when they were. */
function admissionOf(
  { quotas, now }: Counting,
  limiting: readonly Quota[],
  { estimated, countedAt }: { readonly estimated: number; readonly countedAt: number },
): Admission {
  if (limiting.length === 0) return unlimited;
  let isSettled = false;
  return {
    settle(usage) {
      if (isSettled) return;
      isSettled = true;
      const more = tokensOf(usage) - estimated;
      for (const quota of limiting)
        if (more > 0) quotas.add(quota, more, now());
        else quotas.takeBack(quota, -more, { countedAt, now: now() });
    },
  };
}

/** What a limit of tokens counts of a run: the cached ones are among those of the prompt. */
function tokensOf({ promptTokens, completionTokens, reasoningTokens }: Usage): number {
  return promptTokens + completionTokens + reasoningTokens;
}
