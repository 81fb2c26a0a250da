import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import type { BatchLineRow } from "../../../store/tables/batches.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { BatchLine, EndedLine } from "../batch.js";

/** A line as the output of its batch is made of it. */
export interface OutputLine {
  readonly line: number;
  readonly customId: string;
  readonly state: BatchLineRow["state"];
  readonly result: string | null;
}

export type BatchLineStore = ReturnType<typeof createBatchLineStore>;

const columns = ["batch_id", "line", "custom_id", "state", "body", "result"] as const;

/** The requests of batches, until their batch has ended. */
export function createBatchLineStore(database: Database) {
  return { ...createLineWrites(database), ...createQueries(database), ...createDeletions(database) };
}

type LineEnd = Pick<BatchLineRow, "batch_id" | "line" | "state" | "result">;

function createLineWrites({ kysely }: Database) {
  const insertRow = prepareBinding(columns, (row: BatchLineRow) =>
    kysely.insertInto("batch_lines").values(row),
  );
  const endRow = prepareBinding(
    ["batch_id", "line", "state", "result"],
    ({ batch_id, line, ...end }: LineEnd) =>
      kysely
        .updateTable("batch_lines")
        .set({ ...end, body: sql.lit("") })
        .where("batch_id", "=", batch_id)
        .where("line", "=", line)
        .where("state", "=", sql.lit("queued")),
  );
  return {
    insertion: (batchId: string, { line, customId, body }: BatchLine): Write => {
      const row = {
        batch_id: batchId,
        line,
        custom_id: customId,
        state: "waiting",
        body,
        result: null,
      } as const;
      return createWrite("batch_lines", insertRow(row));
    },
    /** Writes the result of a queued line. */
    ending: ({ batchId, line, state, result }: EndedLine): Write =>
      createWrite("batch_lines", endRow({ batch_id: batchId, line, state, result })),
    /** Makes a queued line one that waits. */
    unqueuing(batchId: string, line: number): Write {
      const query = kysely
        .updateTable("batch_lines")
        .set({ state: "waiting" })
        .where("batch_id", "=", batchId);
      return createWrite(
        "batch_lines",
        query.where("line", "=", line).where("state", "=", "queued").compile(),
      );
    },
  };
}

function createQueries({ kysely }: Database) {
  const findRow = prepare(
    kysely,
    ["batchId", "line"],
    ({ batchId, line }: { batchId: string; line: number }) =>
      kysely.selectFrom("batch_lines").selectAll().where("batch_id", "=", batchId).where("line", "=", line),
  );
  return {
    /** Returns a line that is queued; null for any other. */
    async findQueued(batchId: string, line: number): Promise<BatchLine | null> {
      const row = (await findRow({ batchId, line })).rows[0];
      return row?.state === "queued" ? { line, customId: row.custom_id, body: row.body } : null;
    },
    async countQueued(batchId: string): Promise<number> {
      const { count } = await kysely
        .selectFrom("batch_lines")
        .select((line) => line.fn.countAll<number>().as("count"))
        .where("batch_id", "=", batchId)
        // A literal, because SQLite does not use the partial index for a parameter.
        .where("state", "=", sql.lit("queued"))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Returns up to `limit` lines after a line, in order. */
    page(batchId: string, after: number, limit: number): Promise<readonly OutputLine[]> {
      return kysely
        .selectFrom("batch_lines")
        .select(["line", "custom_id as customId", "state", "result"])
        .where("batch_id", "=", batchId)
        .where("line", ">", after)
        .orderBy("line")
        .limit(limit)
        .execute();
    },
  };
}

function createDeletions({ kysely }: Database) {
  /** Deletes up to `limit` lines of a batch. @returns how many were deleted. */
  const deleteOf = async (batchId: string, limit: number): Promise<number> => {
    const { numDeletedRows } = await kysely
      .deleteFrom("batch_lines")
      .where("batch_id", "=", batchId)
      .where("line", "in", (line) =>
        line.selectFrom("batch_lines").select("line").where("batch_id", "=", batchId).limit(limit),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  };
  return {
    deleteOf,
    /** Deletes up to `limit` lines of a batch that has ended. @returns how many were deleted. */
    async deleteEnded(limit: number): Promise<number> {
      const row = await kysely
        .selectFrom("batches")
        .select("id")
        .where("end_time", "is not", null)
        .where(sql<boolean>`exists (select 1 from batch_lines where batch_id = batches.id)`)
        .executeTakeFirst();
      return row === undefined ? 0 : deleteOf(row.id, limit);
    },
  };
}
