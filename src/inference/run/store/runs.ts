import type { RunRecord, RunStore } from "../run-record.js";
import type { Usage } from "../../../core/usage.js";
import type { Database } from "../../../store/database.js";
import { interruptRuns } from "./interrupted-runs.js";
import { prepareBinding } from "../../../store/prepared.js";
import {
  createPriceBook,
  priceColumns,
  pricesOf,
  type PricesBeside,
} from "../../../accounts/money/store/price-ids.js";
import { refusalOf } from "../../../accounts/money/store/refusal.js";
import type { RunRow } from "../../../store/schema.js";
import { changesOf } from "../../../store/writes.js";

type UsageColumns = Pick<
  RunRow,
  "prompt_tokens" | "cached_tokens" | "image_tokens" | "completion_tokens" | "reasoning_tokens" | "images"
>;
type Outcome = Pick<RunRow, "id" | "state" | "cost_ticks" | "end_time"> & UsageColumns;

const usageColumns = [
  "prompt_tokens",
  "cached_tokens",
  "image_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "images",
] as const;
const outcomeColumns = ["id", "state", ...usageColumns, "cost_ticks", "end_time"] as const;
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
] as const;

/** The usage table: one row for every run. `insert` and `settle` run on every request. */
export function createRunStore(database: Database): RunStore {
  const { kysely } = database;
  const inserting = prepareBinding(columns, (row: RunRow) => kysely.insertInto("runs").values(row));
  const prices = createPriceBook(database);
  const settling = prepareSettling(database);
  return {
    async insert(record, together) {
      const { teamId, model, startTime, reservedTicks } = record;
      try {
        const price = record.prices === null ? null : await prices.versionOf(model, record.prices, startTime);
        const row = inserting(toRow(record, price));
        if (together.length === 0) await kysely.executeQuery(row);
        else database.commit([{ query: row, rows: null }, ...changesOf(together)], false);
      } catch (thrown) {
        throw refusalOf(thrown, { teamId, ticks: reservedTicks });
      }
    },
    async settle(id, { state, usage, costTicks, endTime }, together) {
      const row = { id, state, ...usageToRow(usage), cost_ticks: costTicks, end_time: endTime };
      if (together.length === 0) await kysely.executeQuery(settling(row));
      // Not synced: what a power cut takes back, it takes back whole, and its job is done anew.
      else database.commit([{ query: settling(row), rows: null }, ...changesOf(together)], false);
    },
    interruptAll: (endTime) => interruptRuns(database, endTime),
    async list(limit) {
      const newest = kysely
        .selectFrom("runs")
        .leftJoin("price_book", "price_book.id", "runs.price_id")
        .selectAll("runs")
        .select(priceColumns)
        .orderBy("start_time", "desc")
        .orderBy("runs.id", "desc");
      return (await newest.limit(limit).execute()).map(fromRow);
    },
  };
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
    asked_model: record.askedModel,
    endpoint: record.endpoint,
    state: record.state,
    ...usageToRow(record.usage),
    cost_ticks: record.costTicks,
    start_time: record.startTime,
    end_time: record.endTime,
    price_id: price,
    reserved_ticks: record.reservedTicks,
    image_ticks: record.prices?.imageTicks ?? 0,
  };
}

function fromRow(row: RunRow & PricesBeside): RunRecord {
  return {
    id: row.id,
    requestId: row.request_id,
    teamId: row.team_id,
    apiKeyId: row.api_key_id,
    model: row.model,
    askedModel: row.asked_model,
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
