/** A team's credit as a list of what came and went: money by its transactions, spending by the day. */
import type { Actor } from "../audit/event.js";
import type { Clock } from "../../core/clock.js";
import type { LedgerStore } from "./ledger.js";
import type { TeamStore } from "../teams/team.js";
import { dayMs, type UsageStore } from "../usage/usage-report.js";
import { teamSeen } from "../teams/teams.js";

export interface BalanceChange {
  readonly origin: "purchase" | "refund" | "adjust" | "spend";
  /** What it made the credit more by; less when it is negative. */
  readonly ticks: bigint;
  /** Milliseconds since the epoch; of spending, when its day (UTC) begins. */
  readonly time: number;
}

export interface TeamBalance {
  /** The newest first. */
  readonly changes: readonly BalanceChange[];
  /** The credit that is left; what is held for runs in hand is not spent yet. */
  readonly totalTicks: bigint;
}

export interface Billing {
  /**
   * A bounded number of changes; the total is that of all.
   * @throws HearthError `not_found`, also for a team that the actor does not see.
   */
  balance(teamId: string, actor: Actor): Promise<TeamBalance>;
}

export interface BillingDeps {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
}

const moneyChangesMax = 1000;
const spendingDaysMax = 100;

/** Builds it over its ports. */
export function createBilling(deps: BillingDeps): Billing {
  return {
    async balance(teamId, actor) {
      await teamSeen(deps.teams, teamId, actor);
      const money = await deps.ledger.money(teamId, moneyChangesMax);
      const changes = [...money, ...(await spending(deps, teamId))].sort((a, b) => b.time - a.time);
      const { credit, reserved } = await deps.ledger.balancesOf(teamId);
      return { changes, totalTicks: credit + reserved };
    },
  };
}

async function spending({ usage, clock }: BillingDeps, teamId: string): Promise<readonly BalanceChange[]> {
  const now = clock.now();
  const to = now - (now % dayMs) + dayMs;
  const days = await usage.rows({
    ...{ teamId, from: to - spendingDaysMax * dayMs, to, unit: "day", by: [], hosted: [] },
    ...{ order: "newest", limit: spendingDaysMax },
  });
  return days
    .filter(({ creditTicks }) => creditTicks > 0n)
    .map(({ time, creditTicks }) => ({ origin: "spend", ticks: -creditTicks, time: time ?? 0 }));
}
