import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding, prepareInsert } from "../../../store/prepared.js";
import type { Columns, Row } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { BatchLine, EndedLine } from "../batch.js";

/** A line as the output of its batch is made of it. */
export interface OutputLine {
  readonly line: number;
  readonly customId: string;
  readonly state: Row<"batchLines">["state"];
  readonly result: string | null;
}

export type BatchLineStore = ReturnType<typeof createBatchLineStore>;

/** The requests of batches, until their batch has ended. */
export function createBatchLineStore(database: Database) {
  return { ...createLineWrites(database), ...createQueries(database), ...createDeletions(database) };
}

function createLineWrites({ kysely }: Database) {
  const insertRow = prepareInsert(kysely, "batchLines");
  const endColumns = ["batchId", "line", "state", "result"] as const;
  const endRow = prepareBinding(
    endColumns,
    ({ batchId, line, ...end }: Columns<"batchLines", typeof endColumns>) =>
      kysely
        .updateTable("batchLines")
        .set({ ...end, body: sql.lit("") })
        .where("batchId", "=", batchId)
        .where("line", "=", line)
        .where("state", "=", sql.lit("queued")),
  );
  return {
    insertion: (batchId: string, { line, customId, body }: BatchLine): Write => {
      const row = {
        batchId,
        line,
        customId,
        state: "waiting",
        body,
        result: null,
      } as const;
      return createWrite("batchLines", insertRow(row));
    },
    /** Writes the result of a queued line. */
    ending: ({ batchId, line, state, result }: EndedLine): Write =>
      createWrite("batchLines", endRow({ batchId, line, state, result })),
    /** Makes a queued line one that waits. */
    unqueuing(batchId: string, line: number): Write {
      const query = kysely.updateTable("batchLines").set({ state: "waiting" }).where("batchId", "=", batchId);
      return createWrite(
        "batchLines",
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
      kysely.selectFrom("batchLines").selectAll().where("batchId", "=", batchId).where("line", "=", line),
  );
  return {
    /** Returns a line that is queued; null for any other. */
    async findQueued(batchId: string, line: number): Promise<BatchLine | null> {
      const row = (await findRow({ batchId, line })).rows[0];
      return row?.state === "queued" ? { line, customId: row.customId, body: row.body } : null;
    },
    async countQueued(batchId: string): Promise<number> {
      const { count } = await kysely
        .selectFrom("batchLines")
        .select((line) => line.fn.countAll<number>().as("count"))
        .where("batchId", "=", batchId)
        // A literal, because SQLite does not use the partial index for a parameter.
        .where("state", "=", sql.lit("queued"))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Returns up to `limit` lines after a line, in order. */
    page(batchId: string, after: number, limit: number): Promise<readonly OutputLine[]> {
      return kysely
        .selectFrom("batchLines")
        .select(["line", "customId as customId", "state", "result"])
        .where("batchId", "=", batchId)
        .where("line", ">", after)
        .orderBy("line")
        .limit(limit)
        .execute();
    },
  };
}

function createDeletions({ kysely }: Database) {
  /** Deletes up to `limit` lines of a batch. @returns how many were deleted. */
  const deleteLines = async (batchId: string, limit: number): Promise<number> => {
    const { numDeletedRows } = await kysely
      .deleteFrom("batchLines")
      .where("batchId", "=", batchId)
      .where("line", "in", (line) =>
        line.selectFrom("batchLines").select("line").where("batchId", "=", batchId).limit(limit),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  };
  return {
    deleteLines,
    /** Deletes up to `limit` lines of a batch that has ended. @returns how many were deleted. */
    async deleteEnded(limit: number): Promise<number> {
      const row = await kysely
        .selectFrom("batches")
        .select("id")
        .where("endTime", "is not", null)
        .where(sql<boolean>`exists (select 1 from batch_lines where batch_id = batches.id)`)
        .executeTakeFirst();
      return row === undefined ? 0 : deleteLines(row.id, limit);
    },
  };
}
