import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import type { Dialect } from "../../store/dialect/dialect.js";
import { selectKeyName } from "../../store/tables/known-keys.js";
import type { Columns } from "../../store/tables.js";
import type { RequestStatus } from "../../core/run-state.js";
import type { LoggedRequest, RequestPosition, RequestQuery } from "./logged-request.js";

export type RequestStore = ReturnType<typeof createRequestStore>;

/** A part of the requests that have a run in the database. */
interface StoredRequests {
  readonly requests: readonly LoggedRequest[];
  /** The last one that was looked at, when there may be more after it; else null. */
  readonly scannedTo: RequestPosition | null;
}

/** Runs that one page reads at most. */
const scannedMax = 5000;
const columns = [
  "id",
  "requestId",
  "teamId",
  "apiKeyId",
  "userId",
  "model",
  "askedModel",
  "endpoint",
  "state",
  "promptTokens",
  "cachedTokens",
  "imageTokens",
  "completionTokens",
  "reasoningTokens",
  "images",
  "costTicks",
  "createTime",
  "startTime",
  "endTime",
  "streamed",
  "firstTokenMs",
  "finishReason",
  "errorKind",
] as const;

/** Creates the queries of the log of requests, which reads the table of runs. */
export function createRequestStore(database: Database) {
  const { kysely, reports } = database;
  return {
    /** Returns requests, the newest first: at most `limit`, fewer when `scannedMax` runs were looked at. */
    async page(query: RequestQuery): Promise<StoredRequests> {
      const { teamId, apiKeyId, limit } = query;
      // Every other filter looks at each run that the index returns.
      const isIndexed = [query.userId, query.model, query.status, query.text].every(
        (wanted) => wanted === null,
      );
      const scanned = isIndexed && (teamId === null || apiKeyId === null) ? limit : scannedMax;
      const rows = await matching(database, query, scanned).limit(limit).execute();
      const requests = rows.map(fromRow);
      if (rows.length === limit) return { requests, scannedTo: requests.at(-1) ?? null };
      if (scanned === limit) return { requests, scannedTo: null };
      return { requests, scannedTo: await lastScanned(reports, query) };
    },
    /** Deletes up to `limit` runs that were accepted before `time` and have ended. @returns how many were deleted. */
    async deleteBefore(time: number, limit: number): Promise<number> {
      const old = sql`select id from runs where create_time < ${time} and state <> 'running'
        order by create_time, id limit ${limit}`;
      const { numAffectedRows } = await sql`delete from runs where id in (${old})`.execute(kysely);
      return Number(numAffectedRows ?? 0);
    },
    async find(id: string): Promise<(LoggedRequest & { readonly userId: string | null }) | null> {
      const row = await kysely
        .selectFrom("runs as run")
        .select(columns.map((name) => `run.${name}` as const))
        .select(keyName.as("keyName"))
        .where("run.id", "=", id)
        .executeTakeFirst();
      return row === undefined ? null : { ...fromRow(row), userId: row.userId };
    },
  };
}

type Connection = Database["kysely"];

const keyName = selectKeyName(sql`run.api_key_id`);

/** The runs of an index, in its order. */
function indexed(kysely: Connection, { teamId, apiKeyId, since, until, after }: RequestQuery) {
  return kysely
    .selectFrom("runs")
    .$if(apiKeyId !== null, (runs) => runs.where("apiKeyId", "=", String(apiKeyId)))
    .$if(apiKeyId === null && teamId !== null, (runs) => runs.where("teamId", "=", String(teamId)))
    .$if(since !== null, (runs) => runs.where("createTime", ">=", Number(since)))
    .$if(until !== null && after === null, (runs) => runs.where("createTime", "<", Number(until)))
    .$if(after !== null, (runs) =>
      runs.where(sql<boolean>`(create_time, id) < (${after?.createTime}, ${after?.id})`),
    )
    .orderBy("createTime", "desc")
    .orderBy("id", "desc");
}

function matching({ reports, dialect }: Database, query: RequestQuery, scanned: number) {
  const { teamId, userId, model, status, text } = query;
  const runs = indexed(reports, query).select(columns).limit(scanned).as("run");
  return reports
    .selectFrom(runs)
    .select(columns.map((name) => `run.${name}` as const))
    .select(keyName.as("keyName"))
    .$if(teamId !== null, (all) => all.where("run.teamId", "=", String(teamId)))
    .$if(userId !== null, (all) => all.where("run.userId", "=", userId))
    .$if(model !== null, (all) =>
      all.where((run) => run.or([run("run.model", "=", String(model)), run("run.askedModel", "=", model)])),
    )
    .$if(status !== null, (all) => all.where(statusColumn, "=", status))
    .$if(text !== null, (all) => all.where(hasText(dialect, String(text))))
    .orderBy("run.createTime", "desc")
    .orderBy("run.id", "desc");
}

const statusColumn = sql<RequestStatus>`case when run.error_kind = 'cancelled' then 'cancelled' else run.state end`;

/**
 * Whether a run has the text in one of its names, its error, its tags or its end user; `hasText` of request-log.ts does the same for
 * those without a row.
 */
function hasText({ contains, lineBreak, selectStrings }: Dialect, text: string) {
  const names = sql`concat_ws(${lineBreak}, run.id, run.request_id, run.model, run.asked_model, run.endpoint, run.error_kind,
    ${keyName})`;
  const label = sql`substr(label.value, case when label.value like 'tag:%' then 5 else 6 end)`;
  return sql<boolean>`(${contains(names, text)} or exists (select 1 from run_labels where run_id = run.id
    and exists (select 1 from ${selectStrings(sql`run_labels.subjects`)} as label where ${contains(label, text)})))`;
}

/** Returns the last run that a page with filters looks at; null when it looks at all. */
async function lastScanned(kysely: Connection, query: RequestQuery): Promise<RequestPosition | null> {
  const row = await indexed(kysely, query)
    .select(["createTime", "id"])
    .limit(1)
    .offset(scannedMax - 1)
    .executeTakeFirst();
  return row === undefined ? null : { createTime: row.createTime, id: row.id };
}

type LoggedRow = Columns<"runs", typeof columns> & { readonly keyName: string | null };

function fromRow(row: LoggedRow): LoggedRequest {
  return {
    id: row.id,
    requestId: row.requestId,
    teamId: row.teamId,
    apiKeyId: row.apiKeyId,
    apiKeyName: row.keyName,
    model: row.model,
    requestedModel: row.askedModel,
    endpoint: row.endpoint,
    streamed: row.streamed,
    status: row.errorKind === "cancelled" ? "cancelled" : row.state,
    finishReason: row.finishReason,
    errorKind: row.errorKind,
    createTime: row.createTime,
    startTime: row.startTime,
    firstTokenMs: row.firstTokenMs,
    endTime: row.endTime,
    usage: {
      promptTokens: row.promptTokens,
      cachedTokens: row.cachedTokens,
      imageTokens: row.imageTokens,
      completionTokens: row.completionTokens,
      reasoningTokens: row.reasoningTokens,
      images: row.images,
    },
    costTicks: row.costTicks,
  };
}
