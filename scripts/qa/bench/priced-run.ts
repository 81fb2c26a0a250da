/** A priced run as a server reserves, records and settles it, without the model. */
import { computeCharge, reserveTransaction, settleTransaction } from "../../../src/accounts/money/ledger.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { computeCost } from "../../../src/core/money.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import type { Database } from "../../../src/store/database.js";
import { systemRandom } from "../../../src/system/clock.js";

export const usage = {
  promptTokens: 900,
  cachedTokens: 400,
  imageTokens: 0,
  completionTokens: 200,
  reasoningTokens: 0,
};
const prices = { promptTextTokenTicks: 100, cachedPromptTextTokenTicks: 25, completionTextTokenTicks: 400 };

/** What of a run differs between measurements. */
export interface PricedRun {
  readonly teamId: string;
  readonly apiKeyId: string;
  readonly model: string;
  readonly requestedModel: string;
}

/** @param reservedTicks null: the team does not pay in advance. @param now returns the time of the runs */
export function createPricedRuns(
  database: Database,
  reservedTicks: number | null,
  now: () => number,
): (run: PricedRun) => Promise<void> {
  const [ledger, runs] = [createLedgerStore(database), createRunStore(database)];
  const costTicks = computeCost(usage, prices);
  const chargeTicks = computeCharge(costTicks, reservedTicks);
  return async (priced) => {
    const { teamId } = priced;
    if (reservedTicks !== null && (await ledger.spendable(teamId, now())).credit < reservedTicks)
      throw new Error("no credit left");
    const run = { id: systemRandom.id(), teamId };
    const reserve = reserveTransaction(run, reservedTicks ?? 0, now());
    const row = {
      ...priced,
      ...run,
      requestId: run.id,
      endpoint: "/v1/chat/completions",
      state: "running",
      usage,
      costTicks,
      prices,
      reservedTicks,
      startTime: now(),
      endTime: null,
    } as const;
    await runs.insert(row, reserve === null ? [] : ledger.posting(reserve));
    const entries = settleTransaction(run, { reservedTicks, chargeTicks }, now());
    const outcome = { state: "completed", usage, costTicks: chargeTicks, endTime: now() } as const;
    await runs.finish(run.id, outcome, entries === null ? [] : ledger.posting(entries));
  };
}
