import type { RequestBound } from "../../../accounts/budgets/refusal.js";
import type { Ticks } from "../../../core/money.js";
import type { RunEnding, RunOutcome, RunRecord } from "../run-record.js";
import type { Usage } from "../../../core/usage.js";
import type { Database } from "../../../store/database.js";
import { createInterruption } from "./interrupted-runs.js";
import { noLabels } from "../../../accounts/principals/spend-labels.js";
import { createCountedLabelStore } from "../../../accounts/money/store/counted-labels.js";
import { createRunLabelStore } from "./run-labels.js";
import { prepareBinding, prepareInsert } from "../../../store/prepared.js";
import {
  createPriceIds,
  priceColumns,
  readJoinedPrices,
  type JoinedPrices,
} from "../../../accounts/money/store/price-ids.js";
import { toLedgerError } from "../../../accounts/money/store/refusal.js";
import type { Columns, Row } from "../../../store/tables.js";
import { conflict } from "../../../store/commit.js";
import { readRefusal } from "../../../store/dialect/database-error.js";
import { listStatements, type Write } from "../../../store/writes.js";

/** What the end of a run changes. */
const outcomeColumns = [
  ...(["id", "state", "costTicks", "endTime", "firstTokenMs", "finishReason", "errorKind"] as const),
  ...([
    "promptTokens",
    "cachedTokens",
    "imageTokens",
    "completionTokens",
    "reasoningTokens",
    "images",
  ] as const),
];
type Outcome = Columns<"runs", typeof outcomeColumns>;

export type RunStore = ReturnType<typeof createRunStore>;

/** The usage table: one row for every run. `insert` and `finish` run on every request. */
export function createRunStore(database: Database, labels = createRunLabelStore(database)) {
  const { kysely } = database;
  const inserting = prepareInsert(kysely, "runs");
  const prices = createPriceIds(database);
  const counted = createCountedLabelStore(database);
  return {
    /**
     * Inserts the row of a run that starts.
     * @param writes executed in the same transaction.
     * @throws HearthError `no_credits` when the credit to be reserved is missing, `budget_exceeded` when a budget is,
     * `overloaded` while nothing can be written.
     */
    async insert(record: RunRecord, writes: readonly Write[]): Promise<void> {
      const { teamId, model, startTime, reservedTicks, labelled = unlabelled } = record;
      try {
        const price = record.prices === null ? null : await prices.ensureId(model, record.prices, startTime);
        const row = inserting(toRow(record, price));
        const added = await counted.register(teamId, startTime, labelled.spend);
        const together = [...writes, ...added.writes, ...labels.insertions(record, labelled)];
        if (together.length === 0) await kysely.executeQuery(row);
        else await database.commit([{ query: row, rows: null }, ...listStatements(together)], false);
        added.committed();
      } catch (thrown) {
        throw toLedgerError(thrown, { teamId, ticks: reservedTicks });
      }
    },
    /** See `createEnlarging`. */
    enlarge: createEnlarging(database),
    ...createFinishing(database),
    ...createInterruption(database),
    /** Returns the newest runs, the newest first. */
    list: async (limit: number): Promise<readonly RunRecord[]> =>
      (await newestRuns(database).limit(limit).execute()).map(fromRow),
  };
}

/** All that is reserved for a run. */
interface EnlargedRun {
  readonly teamId: string;
  readonly reservedTicks: Ticks | null;
  readonly bound: RequestBound;
}

/**
 * Returns the function that sets what is reserved for a running run, after more was reserved, together with other writes: the writes of the
 * ledger. It throws HearthErrors: `no_credits`, `budget_exceeded` and `overloaded` as for a new run, `conflict` when the run is not running.
 */
function createEnlarging({ kysely, commit }: Database) {
  const names = ["id", "reservedTicks", "boundTicks", "boundTokens"] as const;
  const enlarging = prepareBinding(names, ({ id, ...reserved }: Columns<"runs", typeof names>) =>
    kysely.updateTable("runs").set(reserved).where("id", "=", id).where("state", "=", "running"),
  );
  return async (
    id: string,
    { teamId, reservedTicks, bound }: EnlargedRun,
    writes: readonly Write[],
  ): Promise<void> => {
    const row = { id, reservedTicks, boundTicks: bound.ticks, boundTokens: bound.tokens };
    try {
      await commit([{ query: enlarging(row), rows: 1 }, ...listStatements(writes)], false);
    } catch (thrown) {
      throw toLedgerError(thrown, { teamId, ticks: null });
    }
  };
}

function createFinishing(database: Database) {
  const settling = prepareSettling(database);
  return {
    /**
     * Writes how a running run ended.
     * @param writes executed in the same transaction.
     * @throws HearthError `conflict` when it has ended already, such as one that another server has taken over; nothing is written then.
     */
    async finish(id: string, outcome: RunOutcome, writes: readonly Write[]): Promise<void> {
      const row = outcomeToRow(id, outcome);
      if (writes.length === 0) {
        const { numAffectedRows } = await database.kysely.executeQuery(settling(row));
        if (numAffectedRows !== 1n) throw conflict();
        return;
      }
      try {
        // Not synced: a power cut undoes the whole transaction, and its job is done again.
        await database.commit([{ query: settling(row), rows: 1 }, ...listStatements(writes)], false);
      } catch (thrown) {
        // The ledger has its end, which is seen before the number of rows is.
        throw readRefusal(thrown) === "unique" ? conflict() : thrown;
      }
    },
    /** Writes what follows from a run without a row. */
    finishUnrecorded: (writes: readonly Write[]): Promise<void> =>
      database.commit(listStatements(writes), false),
  };
}

const unlabelled = { text: null, spend: noLabels };

function newestRuns({ kysely }: Database) {
  return kysely
    .selectFrom("runs")
    .leftJoin("priceBook", "priceBook.id", "runs.priceId")
    .selectAll("runs")
    .select(priceColumns)
    .orderBy("runs.createTime", "desc")
    .orderBy("runs.id", "desc");
}

function prepareSettling({ kysely }: Database) {
  return prepareBinding(outcomeColumns, ({ id, ...outcome }: Outcome) =>
    kysely.updateTable("runs").set(outcome).where("id", "=", id).where("state", "=", "running"),
  );
}

function toRow(record: RunRecord, price: number | null): Row<"runs"> {
  return {
    id: record.id,
    requestId: record.requestId,
    teamId: record.teamId,
    apiKeyId: record.apiKeyId,
    model: record.model,
    askedModel: record.requestedModel,
    endpoint: record.endpoint,
    state: record.state,
    ...usageToRow(record.usage),
    costTicks: record.costTicks,
    startTime: record.startTime,
    endTime: record.endTime,
    priceId: price,
    reservedTicks: record.reservedTicks,
    imageTicks: record.prices?.imageTicks ?? 0,
    userId: record.budgeted?.userId ?? null,
    boundTicks: record.budgeted?.bound.ticks ?? null,
    boundTokens: record.budgeted?.bound.tokens ?? null,
    createTime: record.accepted?.createTime ?? record.startTime,
    streamed: record.accepted?.streamed ?? null,
    ...endingToRow(noEnding),
  };
}

function fromRow(row: Row<"runs"> & JoinedPrices): RunRecord {
  return {
    id: row.id,
    requestId: row.requestId,
    teamId: row.teamId,
    apiKeyId: row.apiKeyId,
    model: row.model,
    requestedModel: row.askedModel,
    endpoint: row.endpoint,
    state: row.state,
    usage: {
      promptTokens: row.promptTokens,
      cachedTokens: row.cachedTokens,
      imageTokens: row.imageTokens,
      completionTokens: row.completionTokens,
      reasoningTokens: row.reasoningTokens,
      images: row.images || undefined,
    },
    costTicks: row.costTicks,
    prices: readJoinedPrices(row, row.imageTicks),
    reservedTicks: row.reservedTicks,
    startTime: row.startTime,
    endTime: row.endTime,
  };
}

function outcomeToRow(id: string, outcome: RunOutcome): Outcome {
  const { state, usage, costTicks, endTime, ending = noEnding } = outcome;
  return {
    id,
    state,
    ...usageToRow(usage),
    costTicks,
    endTime,
    ...endingToRow(ending),
  };
}

const noEnding: RunEnding = { finishReason: null, errorKind: null, firstTokenMs: null };

function endingToRow({ firstTokenMs, ...ending }: RunEnding) {
  return { ...ending, firstTokenMs: firstTokenMs === null ? null : Math.round(firstTokenMs) };
}

function usageToRow(usage: Usage) {
  const { promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens, images = 0 } = usage;
  return { promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens, images };
}
