/** Holds requests to the budgets of their key, its member, its team, their tags and their end user. The store ensures that nothing is reserved twice. */
import { serverActor } from "../audit/actors.js";
import { auditEntry, type AuditDeps } from "../audit/audited-change.js";
import type { Principal } from "../principals/api-key.js";
import { isRecent, recentReading } from "../principals/team-reading.js";
import { ticksToUsd } from "../../core/money.js";
import { HearthError } from "../../core/errors.js";
import { describeBudget, isSoftReached, periodStart, type BudgetStatus } from "./budget.js";
import { budgetRace } from "../money/budget-race.js";
import { budgetRefusal, budgetWarnings, refusingBudgets, type RequestBound } from "./refusal.js";
import type { BudgetStore, KeySpending } from "./store.js";

export type BudgetGuard = ReturnType<typeof createBudgetGuard>;

export interface KeyOverview {
  readonly day: KeySpan;
  readonly month: KeySpan;
  readonly total: KeySpan;
  /** Budgets of the key, of its member, of its team, and of the tags of the request. */
  readonly budgets: readonly BudgetStatus[];
}

/** What a key has spent since a time. */
export interface KeySpan extends KeySpending {
  /** Milliseconds since the epoch. */
  readonly startTime: number;
}

export interface BudgetGuardDeps extends AuditDeps {
  readonly budgets: BudgetStore;
  /** Called with the budgets that refuse a request. */
  readonly onRefusal?: (refusing: readonly BudgetStatus[]) => void;
  /** Called when an entry cannot be written; the next request tries again. */
  readonly onError: (thrown: unknown) => void;
}

export function createBudgetGuard(deps: BudgetGuardDeps) {
  const { clock, onError, onRefusal = () => undefined } = deps;
  const readings = createReadings(deps);
  const findRefusal = async (principal: Principal, bound: RequestBound): Promise<HearthError | null> => {
    const statuses = await readings.read(principal);
    const refusal = budgetRefusal(statuses, bound, clock.now());
    if (refusal !== null) onRefusal(refusingBudgets(statuses, bound));
    return refusal;
  };
  return {
    /**
     * Looks at what was read for the same request a moment ago, where there is that: whatever it says, the database reserves exactly.
     * @throws HearthError `budget_exceeded` when a request with that bound exceeds a budget.
     */
    async check(principal: Principal, bound: RequestBound): Promise<void> {
      const known = readings.recent(principal);
      if (known !== null && budgetRefusal(known, bound, clock.now()) === null) return;
      const refusal = await findRefusal(principal, bound);
      if (refusal !== null) throw refusal;
    },
    /** Returns the error for a request whose reservation the database has just rejected. */
    refusal: async (principal: Principal, bound: RequestBound): Promise<HearthError> =>
      (await findRefusal(principal, bound)) ?? budgetRace(),
    /**
     * Returns one sentence for each budget whose soft limit is reached. The first time in a period, the audit log gets an entry. Where the
     * request had no budgets a moment ago, they are not read. Never rejects.
     */
    async warnings(principal: Principal): Promise<readonly string[]> {
      if (readings.recent(principal)?.length === 0) return [];
      try {
        const statuses = await readings.read(principal);
        for (const status of statuses)
          if (isSoftReached(status) && !status.isWarned) await note(deps, status);
        return budgetWarnings(statuses);
      } catch (thrown) {
        onError(thrown);
        return [];
      }
    },
    /** Returns what a key has spent, and what is left of its budgets. */
    async overview(principal: Principal): Promise<KeyOverview> {
      const now = clock.now();
      const since = async (startTime: number): Promise<KeySpan> => ({
        startTime,
        ...(await deps.budgets.keySpending(principal.key.id, startTime)),
      });
      return {
        day: await since(periodStart("day", now)),
        month: await since(periodStart("month", now)),
        total: { ...(await since(0)), startTime: principal.key.createTime },
        budgets: await readings.read(principal),
      };
    },
  };
}

interface Reading {
  readonly statuses: readonly BudgetStatus[];
  /** In milliseconds of the monotonic clock. */
  readonly at: number;
}

/** Remembers what was last read for each request, which has a principal of its own. */
function createReadings({ budgets, clock }: BudgetGuardDeps) {
  const readings = new WeakMap<Principal, Reading>();
  return {
    async read(principal: Principal): Promise<readonly BudgetStatus[]> {
      const at = clock.monotonic();
      const statuses = await budgets.of(principal, clock.now());
      readings.set(principal, { statuses, at });
      return statuses;
    },
    /** Returns what was read a moment ago, or with the key; null when it must be read. */
    recent(principal: Principal): readonly BudgetStatus[] | null {
      const now = clock.monotonic();
      const reading = readings.get(principal);
      if (reading !== undefined) return isRecent(reading.at, now) ? reading.statuses : null;
      return recentReading(principal, now)?.budgets === false ? [] : null;
    },
  };
}

/** Writes that a soft limit was reached, unless a concurrent request has. */
async function note(deps: BudgetGuardDeps, status: BudgetStatus): Promise<void> {
  const entry = auditEntry(deps, serverActor, {
    action: "ReachBudget",
    objectId: status.subjectId,
    teamId: status.teamId,
    description: `The soft limit of the ${describeBudget(status)} was reached`,
    before: null,
    after: {
      subject: status.subject,
      period: status.period,
      startTime: new Date(status.startTime).toISOString(),
      softUsd: status.softTicks === null ? null : ticksToUsd(BigInt(status.softTicks)),
      spentUsd: ticksToUsd(status.spentTicks),
      softTokens: status.softTokens,
      spentTokens: status.spentTokens,
    },
  });
  try {
    await deps.writes.commit([deps.budgets.marking(status), entry]);
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.kind !== "conflict") throw thrown;
  }
}
