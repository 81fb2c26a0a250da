/**
 * Applies rate limits to a request: first the limits of its key, then the limits of the team on the model. Both report the remainder in
 * the headers of the response, whether the request is admitted or refused.
 */
import type { RateLimitDecision, RequestDecision } from "../../../accounts/limits/rate-limits.js";
import type { Principal } from "../../../accounts/principals/api-key.js";
import type { Asking } from "../../../answers/endpoint.js";
import type { TokenReservation } from "../../../core/limits.js";
import { noUsage } from "../../../core/usage.js";
import { rateLimitHeaders } from "../../../dialects/rate-limit-headers.js";
import type { Context } from "../context.js";
import type { AppContext } from "../app-context.js";
import type { Call, Route } from "../route.js";

/** Applies the limits of a key; to a GET, the limits of reads. @throws HearthError `rate_limited`. */
export async function limitRequest(
  app: AppContext,
  ctx: Context,
  route: Route,
  principal: Principal,
): Promise<RequestDecision> {
  const { rateLimits } = app;
  const isRead = route.method === "GET";
  const decision = await (isRead ? rateLimits.admitRead(principal) : rateLimits.admitRequest(principal));
  applyDecision(app, ctx, decision);
  return decision;
}

/** Reports in a header which soft limits of budgets are reached; not for a GET, which spends nothing. */
export async function warnOfBudgets(
  { budgetGuard }: AppContext,
  ctx: Context,
  { method }: Route,
  principal: Principal,
): Promise<void> {
  if (method === "GET") return;
  const warnings = await budgetGuard.warnings(principal);
  if (warnings.length > 0) ctx.set("x-hearth-budget-warning", warnings.join(", ").replace(/[^ -~]/g, "?"));
}

/** Applies the limits on a model, and reserves the estimated tokens of a request. @throws HearthError `rate_limited`. */
export async function limitTokens(
  app: AppContext,
  { ctx, rateLimitDecision }: Call,
  ...[modelId, prompt, endUser]: Parameters<Asking["reserve"]>
): Promise<TokenReservation> {
  const decision = await app.rateLimits.admitModelRequest(rateLimitDecision, modelId, prompt, endUser);
  applyDecision(app, ctx, decision);
  return decision.reservation;
}

/** Runs work and reconciles the reservation with the prompt tokens that the work took; with none if it fails. */
export async function withReservation<Result>(
  reservation: TokenReservation,
  work: () => Promise<Result>,
  countTokens: (result: Result) => number,
): Promise<Result> {
  let promptTokens = 0;
  try {
    const result = await work();
    promptTokens = countTokens(result);
    return result;
  } finally {
    reservation.reconcile({ ...noUsage, promptTokens });
  }
}

/** Parks a reservation under the id of a job while `store` stores the job; releases it if that fails. */
export async function parkReservation(
  { rateLimits }: AppContext,
  reservation: TokenReservation,
  id: string,
  store: () => Promise<void>,
): Promise<void> {
  rateLimits.park(id, reservation);
  try {
    await store();
  } catch (thrown) {
    reservation.reconcile(noUsage);
    throw thrown;
  }
}

/** Reports a decision in the headers of the response. @throws HearthError `rate_limited` for a refusal. */
function applyDecision(
  { clock }: AppContext,
  ctx: Context,
  { limitStatuses, refusal }: RateLimitDecision,
): void {
  ctx.set(rateLimitHeaders(limitStatuses, ctx.state.errorDialect, clock.now()));
  if (refusal !== null) throw refusal;
}
