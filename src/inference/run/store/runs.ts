import type { RunEnding, RunOutcome, RunRecord } from "../run-record.js";
import type { Usage } from "../../../core/usage.js";
import type { Database } from "../../../store/database.js";
import { createEnlarging } from "./enlarged-runs.js";
import { createInterruption } from "./interrupted-runs.js";
import { noLabels } from "../../../accounts/labels/spend-labels.js";
import { createCountedLabelStore } from "../../../accounts/labels/store/counted-labels.js";
import { createRunLabelStore } from "./run-labels.js";
import { prepareBinding } from "../../../store/prepared.js";
import {
  createPriceIds,
  priceColumns,
  pricesOf,
  type JoinedPrices,
} from "../../../accounts/money/store/price-ids.js";
import { toLedgerError } from "../../../accounts/money/store/refusal.js";
import type { RunRow } from "../../../store/tables/runs.js";
import { conflict } from "../../../store/commit.js";
import { refusalOf } from "../../../store/dialect/database-error.js";
import { statementsOf, type Write } from "../../../store/writes.js";

type UsageColumns = Pick<
  RunRow,
  "prompt_tokens" | "cached_tokens" | "image_tokens" | "completion_tokens" | "reasoning_tokens" | "images"
>;
type EndingColumns = Pick<RunRow, "first_token_ms" | "finish_reason" | "error_kind">;
type Outcome = Pick<RunRow, "id" | "state" | "cost_ticks" | "end_time"> & UsageColumns & EndingColumns;

const usageColumns = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "images",
] as const;
const endingColumns = ["first_token_ms", "finish_reason", "error_kind"] as const;
const outcomeColumns = ["id", "state", ...usageColumns, "cost_ticks", "end_time", ...endingColumns] as const;
const columns = [
  ...outcomeColumns,
  "request_id",
  "team_id",
  "api_key_id",
  "model",
  "asked_model",
  "endpoint",
  "start_time",
  "price_id",
  "reserved_ticks",
  "image_ticks",
  "user_id",
  "bound_ticks",
  "bound_tokens",
  "create_time",
  "streamed",
] as const;

export type RunStore = ReturnType<typeof createRunStore>;

/** The usage table: one row for every run. `insert` and `finish` run on every request. */
export function createRunStore(database: Database, labels = createRunLabelStore(database)) {
  const { kysely } = database;
  const inserting = prepareBinding(columns, (row: RunRow) => kysely.insertInto("runs").values(row));
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
        const price = record.prices === null ? null : await prices.idOf(model, record.prices, startTime);
        const row = inserting(toRow(record, price));
        const added = await counted.register(teamId, startTime, labelled.spend);
        const together = [...writes, ...added.writes, ...labels.insertions(record, labelled)];
        if (together.length === 0) await kysely.executeQuery(row);
        else await database.commit([{ query: row, rows: null }, ...statementsOf(together)], false);
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
        await database.commit([{ query: settling(row), rows: 1 }, ...statementsOf(writes)], false);
      } catch (thrown) {
        // The ledger has its end, which is seen before the number of rows is.
        throw refusalOf(thrown) === "unique" ? conflict() : thrown;
      }
    },
    /** Writes what follows from a run without a row. */
    finishUnrecorded: (writes: readonly Write[]): Promise<void> =>
      database.commit(statementsOf(writes), false),
  };
}

const unlabelled = { text: null, spend: noLabels };

function newestRuns({ kysely }: Database) {
  return kysely
    .selectFrom("runs")
    .leftJoin("price_book", "price_book.id", "runs.price_id")
    .selectAll("runs")
    .select(priceColumns)
    .orderBy("runs.create_time", "desc")
    .orderBy("runs.id", "desc");
}

function prepareSettling({ kysely }: Database) {
  return prepareBinding(outcomeColumns, ({ id, ...outcome }: Outcome) =>
    kysely.updateTable("runs").set(outcome).where("id", "=", id).where("state", "=", "running"),
  );
}

function toRow(record: RunRecord, price: number | null): RunRow {
  return {
    id: record.id,
    request_id: record.requestId,
    team_id: record.teamId,
    api_key_id: record.apiKeyId,
    model: record.model,
    asked_model: record.requestedModel,
    endpoint: record.endpoint,
    state: record.state,
    ...usageToRow(record.usage),
    cost_ticks: record.costTicks,
    start_time: record.startTime,
    end_time: record.endTime,
    price_id: price,
    reserved_ticks: record.reservedTicks,
    image_ticks: record.prices?.imageTicks ?? 0,
    user_id: record.budgeted?.userId ?? null,
    bound_ticks: record.budgeted?.bound.ticks ?? null,
    bound_tokens: record.budgeted?.bound.tokens ?? null,
    create_time: record.accepted?.createTime ?? record.startTime,
    streamed: record.accepted === undefined ? null : Number(record.accepted.streamed),
    ...endingToRow(noEnding),
  };
}

function fromRow(row: RunRow & JoinedPrices): RunRecord {
  return {
    id: row.id,
    requestId: row.request_id,
    teamId: row.team_id,
    apiKeyId: row.api_key_id,
    model: row.model,
    requestedModel: row.asked_model,
    endpoint: row.endpoint,
    state: row.state,
    usage: {
      promptTokens: row.prompt_tokens,
      cachedTokens: row.cached_tokens,
      imageTokens: row.image_tokens,
      completionTokens: row.completion_tokens,
      reasoningTokens: row.reasoning_tokens,
      ...(row.images === 0 ? {} : { images: row.images }),
    },
    costTicks: row.cost_ticks,
    prices: pricesOf(row, row.image_ticks),
    reservedTicks: row.reserved_ticks,
    startTime: row.start_time,
    endTime: row.end_time,
  };
}

function outcomeToRow(id: string, outcome: RunOutcome): Outcome {
  const { state, usage, costTicks, endTime, ending = noEnding } = outcome;
  return {
    id,
    state,
    ...usageToRow(usage),
    cost_ticks: costTicks,
    end_time: endTime,
    ...endingToRow(ending),
  };
}

const noEnding: RunEnding = { finishReason: null, errorKind: null, firstTokenMs: null };

function endingToRow({ finishReason, errorKind, firstTokenMs }: RunEnding): EndingColumns {
  return {
    first_token_ms: firstTokenMs === null ? null : Math.round(firstTokenMs),
    finish_reason: finishReason,
    error_kind: errorKind,
  };
}

function usageToRow(usage: Usage): UsageColumns {
  return {
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    image_tokens: usage.imageTokens,
    completion_tokens: usage.completionTokens,
    reasoning_tokens: usage.reasoningTokens,
    images: usage.images ?? 0,
  };
}
