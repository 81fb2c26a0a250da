import type { Database } from "../../../store/database.js";
import { prepareBinding } from "../../../store/prepared.js";
import type { RunLabelsRow } from "../../../store/tables/runs.js";
import { deleteExpired } from "../../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../../store/writes.js";

export type RunLabelStore = ReturnType<typeof createRunLabelStore>;

/** Ninety days. */
const defaultKeptMs = 90 * 24 * 60 * 60 * 1000;

/**
 * What clients say of their runs: the user and the metadata of a request.
 * @param keptMs how long it is stored.
 */
export function createRunLabelStore({ kysely }: Database, keptMs = defaultKeptMs) {
  const insertRow = prepareBinding(["run_id", "expire_time", "labels"], (row: RunLabelsRow) =>
    kysely.insertInto("run_labels").values(row),
  );
  return {
    /** @param labels JSON text. */
    insertion: (runId: string, startTime: number, labels: string): Write =>
      createWrite("run_labels", insertRow({ run_id: runId, expire_time: startTime + keptMs, labels })),
    /** Returns the JSON text; null when the run has no labels. */
    async find(runId: string): Promise<string | null> {
      const row = await kysely
        .selectFrom("run_labels")
        .select("labels")
        .where("run_id", "=", runId)
        .executeTakeFirst();
      return row?.labels ?? null;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired({ kysely }, { table: "run_labels", key: "run_id" }, now, limit),
  };
}
