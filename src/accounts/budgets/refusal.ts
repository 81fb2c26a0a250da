/** The refusal of a request that would exceed a budget, and the warning that precedes it. */
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { describeBudget, isSoftReached, type BudgetStatus } from "./budget.js";

/** The most that a request can cost and use. */
export interface RequestBound {
  readonly ticks: Ticks;
  readonly tokens: number;
}

/** An amount that does not fit; USD or tokens. */
interface Shortfall {
  readonly status: BudgetStatus;
  readonly hard: bigint;
  readonly spent: bigint;
  readonly reserved: bigint;
  readonly bound: bigint;
  readonly format: (amount: bigint) => string;
}

/**
 * Returns the error for a request that exceeds a budget; null when it fits all of them. It names the exceeded budget that resets last.
 * @param now milliseconds since the epoch.
 */
export function budgetRefusal(
  statuses: readonly BudgetStatus[],
  bound: RequestBound,
  now: number,
): HearthError | null {
  const shortfalls = statuses.flatMap((status) => listShortfalls(status, bound));
  const readReset = ({ status }: Shortfall): number => status.resetTime ?? Infinity;
  const [worst] = shortfalls.toSorted((one, other) => readReset(other) - readReset(one));
  return worst === undefined ? null : toError(worst, now);
}

/** Returns the budgets that refuse a request, and not only because of what active requests have reserved. */
export function refusingBudgets(
  statuses: readonly BudgetStatus[],
  bound: RequestBound,
): readonly BudgetStatus[] {
  const refusing = statuses
    .flatMap((status) => listShortfalls(status, bound))
    .filter((each) => !isPassing(each));
  return [...new Set(refusing.map(({ status }) => status))];
}

/** Whether the request fits once active requests have ended. */
function isPassing({ hard, spent, reserved, bound }: Shortfall): boolean {
  return reserved > 0n && spent + bound <= hard;
}

function listShortfalls(status: BudgetStatus, { ticks, tokens }: RequestBound): readonly Shortfall[] {
  const { hardTicks, hardTokens } = status;
  const money = {
    status,
    hard: BigInt(hardTicks ?? 0),
    spent: status.spentTicks,
    reserved: status.reservedTicks,
    bound: BigInt(ticks),
    format: (amount: bigint) => `${ticksToUsd(amount)} USD`,
  };
  const counted = {
    status,
    hard: BigInt(hardTokens ?? 0),
    spent: BigInt(status.spentTokens),
    reserved: BigInt(status.reservedTokens),
    bound: BigInt(tokens),
    format: (amount: bigint) => `${amount} tokens`,
  };
  return [...(hardTicks === null ? [] : [money]), ...(hardTokens === null ? [] : [counted])].filter(
    ({ hard, spent, reserved, bound }) => bound > 0n && spent + reserved + bound > hard,
  );
}

function toError(shortfall: Shortfall, now: number): HearthError {
  const { status, hard, spent, reserved, bound, format } = shortfall;
  const { resetTime } = status;
  const held = reserved > 0n ? `, ${format(reserved)} of it reserved for active requests` : "";
  const used = `Budget exceeded: ${format(spent + reserved)} of the ${describeBudget(status)}, ${format(hard)}, are used${held}.`;
  const most = `This request may use up to ${format(bound)}; with a lower bound on its tokens it needs less.`;
  const resets = resetTime === null ? "It does not reset." : `It resets at ${isoTime(resetTime)}.`;
  const message = [used, resets, ...(bound > 1n ? [most] : [])].join(" ");
  // Reservations are released within the time of a request.
  if (isPassing(shortfall))
    return new HearthError("budget_exceeded", message, { retryAfterSeconds: 1, shouldRetry: true });
  const fitsLater = resetTime !== null && bound <= hard;
  return new HearthError("budget_exceeded", message, {
    shouldRetry: false,
    retryAfterSeconds: fitsLater ? (resetTime - now) / 1000 : undefined,
  });
}

/** Returns one sentence for each budget whose soft limit is reached. */
export function budgetWarnings(statuses: readonly BudgetStatus[]): readonly string[] {
  return statuses.filter(isSoftReached).map((status) => {
    const { softTicks, softTokens, resetTime } = status;
    const reached = [
      ...(softTicks !== null && status.spentTicks >= BigInt(softTicks)
        ? [`${ticksToUsd(status.spentTicks)} of ${ticksToUsd(BigInt(status.hardTicks ?? softTicks))} USD`]
        : []),
      ...(softTokens !== null && status.spentTokens >= softTokens
        ? [`${status.spentTokens} of ${status.hardTokens ?? softTokens} tokens`]
        : []),
    ];
    const resets = resetTime === null ? "" : `; resets at ${isoTime(resetTime)}`;
    return `${describeBudget(status)}: ${reached.join(" and ")} spent${resets}`;
  });
}

function isoTime(time: number): string {
  return new Date(time).toISOString().replace(".000Z", "Z");
}
