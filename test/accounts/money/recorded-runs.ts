import { HearthError } from "../../../src/core/errors.js";
import {
  computeCharge,
  creditTransaction,
  reserveTransaction,
  settleTransaction,
} from "../../../src/accounts/money/ledger.js";
import type { FinishedRun } from "../../../src/core/metrics.js";
import { computeCost, type Prices } from "../../../src/core/money.js";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import type { Database } from "../../../src/store/database.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { aRun } from "../../store/records.js";

const prices: Prices = {
  promptTextTokenTicks: 10,
  cachedPromptTextTokenTicks: 3,
  completionTextTokenTicks: 40,
};
export const teamId = "team-1";

/** The ledger of a database, and runs as the inference writes them: reserved at their start, settled at their end. */
export function ledgerOf(database: Database) {
  const [ledger, runs] = [createLedgerStore(database), createRunStore(database)];
  return {
    ledger,
    runs,
    credit: async () => Number((await ledger.readBalances(teamId)).credit),
    buy: (ticks: number) => ledger.post(creditTransaction("purchase", { teamId, ticks, note: null }, 1)),
    refund: (ticks: number) => ledger.post(creditTransaction("refund", { teamId, ticks, note: null }, 1)),
    begin(id: string, reservedTicks: number | null, change: Partial<RunRecord> = {}) {
      const reserve = reserveTransaction({ id, teamId }, reservedTicks ?? 0, 1);
      const row = aRun({ id, teamId, prices, reservedTicks, ...change });
      return runs.insert(row, reserve === null ? [] : ledger.posting(reserve));
    },
    async end(
      id: string,
      reservedTicks: number | null,
      completionTokens: number,
      state: FinishedRun["state"] = "completed",
    ) {
      const usage = { ...aRun().usage, completionTokens };
      const chargeTicks = computeCharge(computeCost(usage, prices), reservedTicks);
      const entries = settleTransaction({ id, teamId }, { reservedTicks, chargeTicks }, 2);
      const outcome = { state, usage, costTicks: chargeTicks, endTime: 2 } as const;
      await runs.finish(id, outcome, entries === null ? [] : ledger.posting(entries));
      return chargeTicks;
    },
  };
}

const kindOf = (thrown: unknown): string => (thrown instanceof HearthError ? thrown.kind : String(thrown));
export const outcomeOf = (work: Promise<unknown>): Promise<string> => work.then(() => "done", kindOf);
