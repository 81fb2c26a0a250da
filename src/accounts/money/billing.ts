/**
 * What the billing endpoints report: the changes of a team's credit, which sum to the balance, and the invoice of the current month,
 * whose lines sum to its total.
 */
import type { Actor } from "../audit/event.js";
import type { Clock } from "../../core/clock.js";
import type { BalanceChange } from "./balance-change.js";
import { invoiceLines, type InvoiceLine } from "./invoice-lines.js";
import { toMonth, type Month, type SpendingLimits } from "./spending.js";
import type { BillingStore } from "./store/billing.js";
import type { SpendingStore } from "./store/spending-limits.js";
import type { TeamStore } from "../teams/store.js";
import { dayMs } from "./usage-report.js";
import { findVisibleTeam } from "../teams/teams.js";
import { deriveScope } from "../visibility.js";

interface TeamBalance {
  /** Newest first; they sum to the total. */
  readonly changes: readonly BalanceChange[];
  /** The remaining credit, including what is reserved for active runs. */
  readonly totalTicks: bigint;
}

interface MonthInvoice {
  readonly month: Month;
  /** They sum to the total. */
  readonly lines: readonly InvoiceLine[];
  readonly totalTicks: bigint;
  /** The part of the total that was taken from credit. */
  readonly creditUsedTicks: bigint;
  /** The remaining credit, including what is reserved for active runs. */
  readonly creditTicks: bigint;
  readonly limits: SpendingLimits;
}

export type BillingService = ReturnType<typeof createBilling>;

interface BillingServiceDeps {
  readonly teams: TeamStore;
  readonly billing: BillingStore;
  readonly spending: SpendingStore;
  readonly clock: Clock;
}

const moneyChangesMax = 1000;
const spendingDaysMax = 100;

export function createBilling(deps: BillingServiceDeps) {
  const balance = async (teamId: string, actor: Actor): Promise<TeamBalance> => {
    const { createTime } = await findVisibleTeam(deps.teams, teamId, actor);
    const { ownerId } = deriveScope(actor, teamId);
    const now = deps.clock.now();
    const from = now - (now % dayMs) - (spendingDaysMax - 1) * dayMs;
    const { changes, paidTicks, remainingTicks } = await deps.billing.balance(teamId, from, moneyChangesMax);
    if (ownerId !== null) return creditLeft(remainingTicks, createTime);
    const sumChanges = (spent: boolean): bigint =>
      changes.reduce((sum, { origin, ticks }) => (spent === (origin === "spend") ? sum + ticks : sum), 0n);
    const time = Math.min(createTime, ...changes.map((change) => change.time));
    const older: readonly BalanceChange[] = [
      { origin: "spend", ticks: remainingTicks - paidTicks - sumChanges(true), time },
      { origin: "adjust", ticks: paidTicks - sumChanges(false), time },
    ];
    return {
      changes: [...changes, ...older.filter(({ ticks }) => ticks !== 0n)],
      totalTicks: remainingTicks,
    };
  };
  return {
    /**
     * Returns a bounded number of changes: older ones are summed. An actor that sees only API keys of their own gets the credit that is left
     * as one change, without the payments and the spending of others.
     * @throws HearthError `not_found`, also for a team that the actor cannot see.
     */
    balance,
    /**
     * Returns the invoice of the current month so far; to an actor that sees only API keys of their own, what these have cost.
     * @throws HearthError `not_found`, also for a team that the actor cannot see.
     */
    async invoice(teamId: string, actor: Actor): Promise<MonthInvoice> {
      const { totalTicks: creditTicks } = await balance(teamId, actor);
      const month = toMonth(deps.clock.now());
      const { ownerId } = deriveScope(actor, teamId);
      const months = await (ownerId === null
        ? deps.billing.month(teamId, month)
        : deps.billing.monthOfOwner(teamId, month, ownerId));
      const { limits } = await deps.spending.find(teamId, month);
      return {
        month,
        lines: invoiceLines(months),
        totalTicks: months.reduce((sum, { costTicks }) => sum + costTicks, 0n),
        creditUsedTicks: months.reduce((sum, each) => sum + each.creditTicks, 0n),
        creditTicks,
        limits,
      };
    },
  };
}

function creditLeft(totalTicks: bigint, time: number): TeamBalance {
  return { changes: totalTicks === 0n ? [] : [{ origin: "adjust", ticks: totalTicks, time }], totalTicks };
}
