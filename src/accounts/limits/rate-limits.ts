/**
 * Rate limits of keys and teams, in sliding windows. A request is admitted exactly when fewer requests than the limit were
 * admitted in the last 1000 or 60,000 milliseconds, and when the tokens of the last 60,000 milliseconds plus the estimate of
 * its prompt do not exceed the limit. A refused request is not counted. Active runs are never aborted; their true tokens are
 * counted when they end.
 *
 * A request is checked in two steps: first against the key's request limits, before its body is read; then, when it names a
 * model, against the team's request limits on that model and on all models together, the limits of key and team on each end user, and
 * the token limits of key and team. Requests admitted before a limit was set are not counted.
 */
import { createHash } from "node:crypto";
import type { Principal, ApiKey } from "../principals/api-key.js";
import { recentReading } from "../principals/team-reading.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import {
  type TokenReservation,
  type LimitStatuses,
  formatDuration,
  type Limits,
  type LimitStatus,
} from "../../core/limits.js";
import type { EstimatedPrompt } from "./prompt-estimate.js";
import type { TeamLimitStore } from "./store.js";
import { limitsOn, allModels, eachEndUser, type TeamLimits } from "../principals/team-limit.js";
import type { Usage } from "../../core/usage.js";
import type {
  CountedDemands,
  Demand,
  Quota,
  QuotaCounter,
  Taken,
  LimitName,
  Shortage,
} from "./quota-counter.js";
import type { Team } from "../principals/team.js";

/** The result of one step. */
export interface RateLimitDecision {
  readonly limitStatuses: LimitStatuses;
  /** Why the request is refused; null when it is admitted. */
  readonly refusal: HearthError | null;
}

/** The result of the first step. */
export interface RequestDecision extends RateLimitDecision, CountedDemands {
  readonly principal: Principal;
}

/** The result of the second step. */
interface ModelRequestDecision extends RateLimitDecision {
  /** To be reconciled when the run has ended; it does nothing when the request is refused. */
  readonly reservation: TokenReservation;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

interface RateLimitDeps {
  /** Returns the limits of a team that hold for a model. */
  readonly findTeamLimits: TeamLimitStore["findFor"];
  /** Estimates the tokens of a prompt; called only when a token limit applies. */
  readonly estimate: (prompt: EstimatedPrompt) => Promise<number>;
  readonly counter: QuotaCounter;
  /** The counts of reads, whose limit only stops loops: each process counts its own. */
  readonly readCounter: QuotaCounter;
  readonly clock: Clock;
}

/** Parked reservations; when there are more, the oldest is discarded. */
const parkedMax = 10_000;

/** The reservation of a request to which no token limit applies. */
export const unlimitedReservation: TokenReservation = { reconcile: () => undefined };

/** Creates the limits. */
export function createRateLimits(deps: RateLimitDeps) {
  const parked = new Map<string, TokenReservation>();
  return {
    /** Counts a request of a key. @throws HearthError `overloaded` when there are too many requests to count. */
    admitRequest: (principal: Principal): Promise<RequestDecision> => admitRequest(deps, principal),
    /**
     * Counts a request that reads what the key has already, such as a list or a stored response. It counts against no limit of the key or
     * the team, only against one of its own, which stops loops. @throws HearthError `overloaded` as above.
     */
    admitRead: (principal: Principal): Promise<RequestDecision> => admitRead(deps, principal),
    /**
     * Counts an admitted request against the limits on a model. When it is refused or cannot be counted, the first step's count
     * is undone, too.
     * @param model id of the model. @param endUser the end user that the request names; absent: none. @param prompt what the model reads, or a text to be tokenized;
     * null: the request is not counted in tokens, and no token limit applies to it.
     * @throws HearthError `overloaded` as above.
     */
    admitModelRequest: (
      request: RequestDecision,
      model: string,
      prompt: EstimatedPrompt | null,
      endUser: string | null = null,
    ): Promise<ModelRequestDecision> => admitModelRequest(deps, request, { model, endUser }, prompt),
    /** Stores the reservation of a deferred job until the job runs. */
    park(id: string, reservation: TokenReservation): void {
      parked.set(id, reservation);
      const [oldest] = parked.keys();
      if (parked.size > parkedMax && oldest !== undefined) parked.delete(oldest);
    },
    /** Returns the parked reservation; one without an estimate when a restart or too many others have displaced it. */
    async resume(
      id: string,
      principal: Principal,
      model: string,
      endUser: string | null = null,
    ): Promise<TokenReservation> {
      const reservation = parked.get(id);
      parked.delete(id);
      if (reservation !== undefined) return reservation;
      const { tokens } = await quotasFor(deps, principal, { model, endUser });
      return reserveTokens(deps, tokens, { estimated: 0, countedAt: 0 });
    },
  };
}

async function admitRequest({ counter }: RateLimitDeps, principal: Principal): Promise<RequestDecision> {
  const demands = toDemands(keyQuotas(principal.key, ["qps", "qpm"]), 1);
  const taken = await counter.take(demands);
  return { principal, demands, countedAt: taken.countedAt, ...toDecision(demands, taken) };
}

async function admitRead({ readCounter }: RateLimitDeps, principal: Principal): Promise<RequestDecision> {
  const demands = toDemands([readQuota(principal.key)], 1);
  const taken = await readCounter.take(demands);
  const decision = toDecision(demands, taken);
  const none: LimitStatuses = { requests: null, tokens: null };
  const limitStatuses = decision.refusal === null ? none : decision.limitStatuses;
  return { principal, demands, countedAt: taken.countedAt, ...decision, limitStatuses };
}

async function admitModelRequest(
  deps: RateLimitDeps,
  request: RequestDecision,
  named: NamedInRequest,
  prompt: EstimatedPrompt | null,
): Promise<ModelRequestDecision> {
  const quotas = await quotasFor(deps, request.principal, named);
  const applicable = prompt === null ? { ...quotas, tokens: [] } : quotas;
  const tokens = prompt === null || applicable.tokens.length === 0 ? 0 : await deps.estimate(prompt);
  const demands = [...toDemands(applicable.requests, 1), ...toDemands(applicable.tokens, tokens)];
  if (demands.length === 0) return { ...request, reservation: unlimitedReservation };
  const taken = await deps.counter.take(demands, request);
  const decision = toDecision([...request.demands, ...demands], taken);
  if (decision.refusal !== null) return { ...decision, reservation: unlimitedReservation };
  const counted = { estimated: tokens, countedAt: taken.countedAt };
  return { ...decision, reservation: reserveTokens(deps, applicable.tokens, counted) };
}

function toDecision(demands: readonly Demand[], { shortage, statuses }: Taken): RateLimitDecision {
  return {
    limitStatuses: toLimitStatuses(demands, statuses),
    refusal: shortage === null ? null : rateLimited(shortage),
  };
}

async function quotasFor(
  { findTeamLimits, clock }: RateLimitDeps,
  principal: Principal,
  named: NamedInRequest,
): Promise<ModelQuotas> {
  const read = recentReading(principal, clock.monotonic())?.limits ?? null;
  const limits =
    read === null ? await findTeamLimits(principal.team.id, named.model) : limitsOn(named.model, read);
  return modelQuotas(principal, named, limits);
}

function toDemands(quotas: readonly Quota[], amount: number): readonly Demand[] {
  return quotas.map((quota) => ({ quota, amount }));
}

/** Returns the reservation of `estimated` tokens that were counted at `countedAt`. */
function reserveTokens(
  { counter }: RateLimitDeps,
  applicable: readonly Quota[],
  { estimated, countedAt }: { readonly estimated: number; readonly countedAt: number },
): TokenReservation {
  if (applicable.length === 0) return unlimitedReservation;
  let isReconciled = false;
  return {
    reconcile(usage) {
      if (isReconciled) return;
      isReconciled = true;
      counter.correct(applicable, countTokens(usage) - estimated, countedAt);
    },
  };
}

/** Returns the tokens of a run that count against a limit; cached tokens are part of the prompt. */
function countTokens({ promptTokens, completionTokens, reasoningTokens }: Usage): number {
  return promptTokens + completionTokens + reasoningTokens;
}

const units: Readonly<Record<LimitName, string>> = {
  qps: "requests per sec (RPS)",
  qpm: "requests per min (RPM)",
  tpm: "tokens per min (TPM)",
};

/** Returns the error for a request that exceeds a limit, in the words of the OpenAI API. */
function rateLimited({ demand, used, waitMs }: Shortage): HearthError {
  const { quota, amount } = demand;
  const { subject, name, limit } = quota;
  if (waitMs === null)
    return new HearthError(
      "rate_limited",
      `Request too large for ${subject} on ${units[name]}: Limit ${limit}, Requested ${amount}. ` +
        "The input must be shorter; retrying does not help.",
      { shouldRetry: false },
    );
  return new HearthError(
    "rate_limited",
    `Rate limit reached for ${subject} on ${units[name]}: Limit ${limit}, Used ${used}, Requested ${amount}. ` +
      `Please try again in ${formatDuration(waitMs)}.`,
    { retryAfterMs: waitMs, shouldRetry: true },
  );
}

// Determines which limits apply to a request, and what is left of them.

/** Returns the quotas of a key. */
function keyQuotas(key: ApiKey, names: readonly LimitName[]): readonly Quota[] {
  return listQuotas(key, names, { scope: `key ${key.id}`, subject: `API key ${key.redacted}` });
}

/** Reads of one key in a minute: a hundred in every second, more than clients that poll for many results need. */
const readsPerMinuteMax = 6_000;

/** Returns the quota of the reads of a key. */
function readQuota({ id, redacted }: ApiKey): Quota {
  return {
    name: "qpm",
    limit: readsPerMinuteMax,
    scope: `reads ${id}`,
    subject: `reads of API key ${redacted}`,
  };
}

/** The quotas that apply to a request of a model, in addition to the request quotas of its key. */
interface ModelQuotas {
  readonly requests: readonly Quota[];
  readonly tokens: readonly Quota[];
}

/** What a request names. */
interface NamedInRequest {
  /** Id of the model. */
  readonly model: string;
  /** null = the request names none. */
  readonly endUser: string | null;
}

/** @param teamLimits the limits of the team that hold for the model. */
function modelQuotas(
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
function toLimitStatuses(demands: readonly Demand[], statuses: readonly LimitStatus[]): LimitStatuses {
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
