/**
 * Bugs of each kind that the simulation must find. Each changes one module of the server; a test file that mocks the module
 * with one of the functions below switches them on one after the other.
 */
import type * as Ledger from "../../src/accounts/money/ledger.js";
import type { Demand, Shortage } from "../../src/accounts/limits/quota-counter.js";
import type * as Quotas from "../../src/accounts/limits/quotas.js";
import type * as InterruptedRuns from "../../src/inference/run/store/interrupted-runs.js";
import type * as SettleRetries from "../../src/inference/run/settle-retries.js";
import type * as Models from "../../src/core/model.js";
import type * as BatchLines from "../../src/jobs/batches/store/lines.js";
import type * as Jobs from "../../src/jobs/store.js";
import type * as Decide from "../../src/scheduler/decide.js";
import type * as Policy from "../../src/scheduler/policy.js";
import type * as Commit from "../../src/store/commit.js";

/** A bug and what finds it. */
interface Expectation {
  /** The guarantee whose check finds it. */
  readonly guarantee: RegExp;
  /** A seed whose history finds it; later seeds are tried, too, when the simulation has changed. */
  readonly seed: number;
}

export const plantedBugs = {
  "a run is charged twice": { guarantee: /a run is charged what it produced/, seed: 1 },
  "a job that has ended stays in the queue": { guarantee: /no job is done twice/, seed: 1 },
  "a slot is not released": { guarantee: /each held slot generates/, seed: 1 },
  "jobs in flight are dropped at a restart": { guarantee: /no accepted job is lost/, seed: 2 },
  "a job is not synced before it is accepted": { guarantee: /no accepted job is lost/, seed: 1 },
  "a rate limit admits one more": { guarantee: /limits are never exceeded/, seed: 1 },
  "the queue admits one more": { guarantee: /the queue has its limit/, seed: 3 },
  "the queue is first come, first served": { guarantee: /waiting teams are served alike/, seed: 1 },
  "a restart keeps what a run had reserved": {
    guarantee: /what is reserved belongs to running runs|the books balance/,
    seed: 1,
  },
  "a transaction is written in parts": {
    guarantee: /the books balance|what is reserved belongs|no accepted job is lost|no job is done twice/,
    seed: 3,
  },
  "a settlement that failed is not retried": {
    guarantee: /what is reserved belongs|each running row has a run/,
    seed: 5,
  },
  "a request of a batch costs as much as any other": {
    guarantee: /a run is charged what it produced/,
    seed: 2,
  },
  "a batch ends while its lines are answered": {
    guarantee: /no line is answered twice|each line is answered once|a batch counts its answers/,
    seed: 2,
  },
} as const satisfies Record<string, Expectation>;

export type PlantedBug = keyof typeof plantedBugs;

/** The bug that is in place; null = none. */
export const planted: { bug: PlantedBug | null } = { bug: null };

function has(bug: PlantedBug): boolean {
  return planted.bug === bug;
}

export function withBrokenLedger(actual: typeof Ledger): typeof Ledger {
  const charged = new Set<string>();
  return {
    ...actual,
    settleTransaction(run, money, time) {
      const isSecond = has("a run is charged twice") && !charged.has(run.id) && charged.size % 7 === 3;
      charged.add(run.id);
      const chargeTicks = isSecond
        ? Math.min(2 * money.chargeTicks, money.reservedTicks ?? Infinity)
        : money.chargeTicks;
      return actual.settleTransaction(run, { ...money, chargeTicks }, time);
    },
  };
}

export function withBrokenJobs(actual: typeof Jobs): typeof Jobs {
  return {
    ...actual,
    createJobStore(database) {
      const store = actual.createJobStore(database);
      const none = store.removal("no job");
      return {
        ...store,
        removal: (id) => (has("a job that has ended stays in the queue") ? none : store.removal(id)),
        end: (id) => (has("a job that has ended stays in the queue") ? none : store.end(id)),
        async releaseAll(kind) {
          if (!has("jobs in flight are dropped at a restart")) return store.releaseAll(kind);
          const inFlight = database.kysely.deleteFrom("jobs").where("leaseUntil", "is not", null);
          await inFlight.where("kind", "=", kind).execute();
        },
      };
    },
  };
}

export function withBrokenPrices(actual: typeof Models): typeof Models {
  return {
    ...actual,
    atPercent: (model, percent) =>
      has("a request of a batch costs as much as any other") ? model : actual.atPercent(model, percent),
  };
}

export function withBrokenLines(actual: typeof BatchLines): typeof BatchLines {
  return {
    ...actual,
    createBatchLineStore(database) {
      const store = actual.createBatchLineStore(database);
      return {
        ...store,
        countQueued: (id) =>
          has("a batch ends while its lines are answered") ? Promise.resolve(0) : store.countQueued(id),
      };
    },
  };
}

export function withBrokenDecisions(actual: typeof Decide): typeof Decide {
  let left = 0;
  return {
    ...actual,
    leave(state, id, tokens) {
      left += 1;
      const isForgotten = has("a slot is not released") && left % 10 === 0;
      return isForgotten ? { state, effects: [] } : actual.leave(state, id, tokens);
    },
    arrive(state, run) {
      if (!has("the queue admits one more")) return actual.arrive(state, run);
      const { queueDepthMax } = state;
      const decision = actual.arrive({ ...state, queueDepthMax: queueDepthMax + 1 }, run);
      return { ...decision, state: { ...decision.state, queueDepthMax } };
    },
  };
}

export function withBrokenPolicy(actual: typeof Policy): typeof Policy {
  return {
    ...actual,
    nextToRun: (waiting, standing) =>
      has("the queue is first come, first served")
        ? (waiting[0] ?? null)
        : actual.nextToRun(waiting, standing),
  };
}

export function withBrokenQuotas(actual: typeof Quotas): typeof Quotas {
  class BrokenQuotas extends actual.Quotas {
    override take(demands: readonly Demand[], now: number): Shortage | null {
      if (!has("a rate limit admits one more")) return super.take(demands, now);
      return super.take(
        demands.map(({ quota, amount }) => ({ quota: { ...quota, limit: quota.limit + 1 }, amount })),
        now,
      );
    }
  }
  return { ...actual, Quotas: BrokenQuotas };
}

export function withBrokenCommit(actual: typeof Commit): typeof Commit {
  return {
    ...actual,
    createCommit(sqlite, statements) {
      const commit = actual.createCommit(sqlite, statements);
      return (changes, synced) => {
        if (has("a transaction is written in parts")) for (const change of changes) commit([change], synced);
        else commit(changes, synced && !has("a job is not synced before it is accepted"));
      };
    },
  };
}

export function withBrokenInterruption(actual: typeof InterruptedRuns): typeof InterruptedRuns {
  return {
    ...actual,
    createInterruption(database) {
      const interruption = actual.createInterruption(database);
      return {
        ...interruption,
        async interruptAll(endTime) {
          if (!has("a restart keeps what a run had reserved")) return interruption.interruptAll(endTime);
          const ended = { state: "interrupted", costTicks: 0, endTime } as const;
          const { numUpdatedRows } = await database.kysely
            .updateTable("runs")
            .set(ended)
            .where("state", "=", "running")
            .executeTakeFirst();
          return Number(numUpdatedRows);
        },
      };
    },
  };
}

export function withBrokenRetries(actual: typeof SettleRetries): typeof SettleRetries {
  return {
    ...actual,
    createSettleRetries(clock) {
      const retries = actual.createSettleRetries(clock);
      const forgotten = (): Promise<void> => Promise.resolve();
      return has("a settlement that failed is not retried") ? { ...retries, retry: forgotten } : retries;
    },
  };
}
