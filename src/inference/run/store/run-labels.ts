import { labelSubjects, type SpendLabels } from "../../../accounts/principals/spend-labels.js";
import type { Database } from "../../../store/database.js";
import { prepareInsert } from "../../../store/prepared.js";
import { deleteExpired } from "../../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../../store/writes.js";

/** Ninety days. */
const defaultKeptMs = 90 * 24 * 60 * 60 * 1000;

/** Stored of a run whose client says nothing that may be stored. */
const noText = "{}";

/**
 * What clients say of their runs, and the tags and end users that runs are counted for. Triggers count a run by the row of its labels,
 * which is inserted after the run, in the same transaction.
 * @param keptMs how long it is stored.
 */
export function createRunLabelStore({ kysely }: Database, keptMs = defaultKeptMs) {
  const insertRow = prepareInsert(kysely, "runLabels");
  return {
    /** @param text JSON text, or null. @returns nothing to write of a run that says nothing. */
    insertions(
      run: { readonly id: string; readonly startTime: number },
      { text, spend }: { readonly text: string | null; readonly spend: SpendLabels },
    ): readonly Write[] {
      const subjects = labelSubjects(spend);
      if (text === null && subjects.length === 0) return [];
      const row = {
        runId: run.id,
        expireTime: run.startTime + keptMs,
        labels: text ?? noText,
        subjects,
      };
      return [createWrite("runLabels", insertRow(row))];
    },
    /** Returns the JSON text; null when the client says nothing of the run. */
    async find(runId: string): Promise<string | null> {
      const row = await kysely
        .selectFrom("runLabels")
        .select("labels")
        .where("runId", "=", runId)
        .executeTakeFirst();
      return row === undefined || row.labels === noText ? null : row.labels;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(kysely, { table: "runLabels", key: "runId" }, now, limit),
  };
}
