/** Lists the changes of a team's credit: every payment and correction, and the spending of each day. */
import type { Actor } from "../audit/event.js";
import type { Clock } from "../../core/clock.js";
import type { LedgerStore } from "./store/ledger.js";
import type { TeamStore } from "../teams/store.js";
import type { UsageStore } from "../usage/store.js";
import { dayMs } from "../usage/usage-report.js";
import { findVisibleTeam } from "../teams/teams.js";

export interface BalanceChange {
  readonly origin: "purchase" | "refund" | "adjust" | "spend";
  /** The amount added to the credit; negative when it was taken. */
  readonly ticks: bigint;
  /** Milliseconds since the epoch; for spending, the start of its day (UTC). */
  readonly time: number;
}

export interface TeamBalance {
  /** Newest first. */
  readonly changes: readonly BalanceChange[];
  /** The remaining credit, including what is reserved for active runs. */
  readonly totalTicks: bigint;
}

export interface BillingService {
  /**
   * Returns a bounded number of changes and the total of all of them.
   * @throws HearthError `not_found`, also for a team that the actor cannot see.
   */
  balance(teamId: string, actor: Actor): Promise<TeamBalance>;
}

export interface BillingServiceDeps {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
}

const moneyChangesMax = 1000;
const spendingDaysMax = 100;

export function createBilling(deps: BillingServiceDeps): BillingService {
  return {
    async balance(teamId, actor) {
      await findVisibleTeam(deps.teams, teamId, actor);
      const money = await deps.ledger.creditChanges(teamId, moneyChangesMax);
      const changes = [...money, ...(await spending(deps, teamId))].sort((a, b) => b.time - a.time);
      const { credit, reserved } = await deps.ledger.balancesOf(teamId);
      return { changes, totalTicks: credit + reserved };
    },
  };
}

async function spending(
  { usage, clock }: BillingServiceDeps,
  teamId: string,
): Promise<readonly BalanceChange[]> {
  const now = clock.now();
  const to = now - (now % dayMs) + dayMs;
  const days = await usage.rows({
    teamId,
    from: to - spendingDaysMax * dayMs,
    to,
    unit: "day",
    by: [],
    hosted: [],
    order: "newest",
    limit: spendingDaysMax,
  });
  return days
    .filter(({ creditTicks }) => creditTicks > 0n)
    .map(({ time, creditTicks }) => ({ origin: "spend", ticks: -creditTicks, time: time ?? 0 }));
}
