import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../../store/database.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { Batch, BatchFormat, BatchLoad, BatchPage, EndedLine } from "../batch.js";

export interface BatchQuery {
  readonly teamId: string;
  readonly format: BatchFormat;
  /** The newest first, or the oldest. */
  readonly order: "asc" | "desc";
  /** Id of the batch after which the page starts; null = at the start. */
  readonly after: string | null;
  readonly limit: number;
}

export type BatchStore = ReturnType<typeof createBatchStore>;

/** The table of batches. Their lines are queued one after another: the transaction that ends a line queues the next one. */
export function createBatchStore(database: Database) {
  return { ...createWrites(database), ...createQueries(database), ...createDeletions(database) };
}

function createWrites({ kysely }: Database) {
  const write = (table: Write["table"], query: RawBuilder<unknown>): Write =>
    createWrite(table, query.compile(kysely));
  return {
    insertion: (batch: Batch): Write =>
      createWrite("batches", kysely.insertInto("batches").values(batch).compile()),
    /** Changes fields of a batch that is in one of these states; does nothing otherwise. */
    update(id: string, states: readonly Batch["state"][], change: Partial<Batch>): Write {
      const query = kysely.updateTable("batches").set(change).where("id", "=", id);
      return createWrite("batches", query.where("state", "in", states).compile());
    },
    /** Queues the next line of a batch in progress. @param now when its job was created. */
    queueNext: (id: string, now: number): readonly Write[] =>
      queueNext(id, now).map(([table, query]) => write(table, query)),
    /** Counts a line that was answered. */
    counting: ({ batchId, state, tokens }: EndedLine): Write =>
      write(
        "batches",
        sql`update batches set
          succeeded = succeeded + ${state === "succeeded" ? 1 : 0}, errored = errored + ${state === "errored" ? 1 : 0},
          prompt_tokens = prompt_tokens + ${tokens.promptTokens}, cached_tokens = cached_tokens + ${tokens.cachedTokens},
          completion_tokens = completion_tokens + ${tokens.completionTokens},
          reasoning_tokens = reasoning_tokens + ${tokens.reasoningTokens} where id = ${batchId}`,
      ),
    /** Removes the jobs of a batch that are not in flight. */
    unqueuing: (id: string): readonly Write[] => [
      write(
        "jobs",
        sql`delete from jobs where lease_until is null and id in
          (select ${jobId(sql`line`, id)} from batch_lines where batch_id = ${id} and state = 'queued')`,
      ),
      write(
        "batchLines",
        sql`update batch_lines set state = 'waiting' where batch_id = ${id} and state = 'queued'
          and not exists (select 1 from jobs where jobs.id = ${jobId(sql`batch_lines.line`, id)})`,
      ),
    ],
  };
}

function createQueries({ kysely }: Database) {
  return {
    async find(id: string): Promise<Batch | null> {
      const row = await kysely.selectFrom("batches").selectAll().where("id", "=", id).executeTakeFirst();
      return row ?? null;
    },
    /** Returns all batches that have not ended, of every team. */
    async open(): Promise<readonly Batch[]> {
      return kysely.selectFrom("batches").selectAll().where("endTime", "is", null).execute();
    },
    /** Returns what the batches of a team that have not ended have in all. @param except the id of one that is not counted. */
    async readLoad(teamId: string, except: string): Promise<BatchLoad> {
      const { batches, lines, bytes } = await kysely
        .selectFrom("batches")
        .select((batch) => [
          batch.fn.countAll<number>().as("batches"),
          batch.fn.sum<number>("lines").as("lines"),
          batch.fn.sum<number>("bytes").as("bytes"),
        ])
        .where("teamId", "=", teamId)
        .where("endTime", "is", null)
        .where("id", "!=", except)
        .executeTakeFirstOrThrow();
      return { batches, lines: lines ?? 0, bytes: bytes ?? 0 };
    },
    /** Returns up to `limit` batches of a team that have ended, without its newest `newest` ones. */
    async endedBeyond(teamId: string, newest: number, limit: number): Promise<readonly Batch[]> {
      return kysely
        .selectFrom("batches")
        .selectAll()
        .where("teamId", "=", teamId)
        .where("endTime", "is not", null)
        .orderBy("createTime", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(newest)
        .execute();
    },
    list: (query: BatchQuery) => list(kysely, query),
  };
}

function createDeletions({ kysely }: Database) {
  return {
    async delete(id: string): Promise<void> {
      await kysely.deleteFrom("batches").where("id", "=", id).execute();
    },
    /** Deletes up to `limit` batches without lines that ended before `time`. @returns how many were deleted. */
    async deleteEnded(time: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("batches")
        .where("id", "in", (batch) =>
          batch
            .selectFrom("batches")
            .select("id")
            .where("endTime", "<=", time)
            .where(sql<boolean>`not exists (select 1 from batch_lines where batch_id = batches.id)`)
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** See toLineJobId. */
function jobId(line: RawBuilder<unknown>, batchId: string): RawBuilder<string> {
  return sql`'batch_req_' || ${batchId.slice(batchId.indexOf("_") + 1)} || '_' || ${line}`;
}

function queueNext(id: string, now: number): readonly (readonly [Write["table"], RawBuilder<unknown>])[] {
  const isNext = sql`batches.id = ${id} and batches.state = 'in_progress' and batches.next_line < batches.lines`;
  return [
    [
      "jobs",
      sql`insert into jobs (id, kind, team_id, api_key_id, endpoint, attempts, lease_until, create_time, body, tags)
        select ${jobId(sql`next_line`, id)}, 'batch-line', team_id, api_key_id, endpoint, 0, null, ${now},
          '{"batch":"' || id || '","line":' || next_line || '}', tags from batches where ${isNext}`,
    ],
    [
      "batchLines",
      sql`update batch_lines set state = 'queued' where batch_id = ${id}
        and line = (select next_line from batches where ${isNext})`,
    ],
    ["batches", sql`update batches set next_line = next_line + 1 where ${isNext}`],
  ];
}

async function list(kysely: Database["kysely"], query: BatchQuery): Promise<BatchPage> {
  const { teamId, format, order, after, limit } = query;
  const beyond = sql.raw(order === "asc" ? ">" : "<");
  const rows = await kysely
    .selectFrom("batches")
    .selectAll()
    .where("teamId", "=", teamId)
    .where("format", "=", format)
    .$if(after !== null, (batches) =>
      batches.where(
        sql<boolean>`(create_time, id) ${beyond} (select create_time, id from batches where id = ${after} and team_id = ${teamId})`,
      ),
    )
    .orderBy("createTime", order)
    .orderBy("id", order)
    .limit(limit + 1)
    .execute();
  return { batches: rows.slice(0, limit), hasMore: rows.length > limit };
}
