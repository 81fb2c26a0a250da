import type { DeferredOutcome, EndedOutcome } from "./deferred-completion.js";
import type { StoredOwner } from "../../inference/stored-owner.js";
import type { Database } from "../../store/database.js";
import { prepare, prepareBinding, prepareInsert } from "../../store/prepared.js";
import type { Columns } from "../../store/tables.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../store/writes.js";

export type DeferredStore = ReturnType<typeof createDeferredStore>;

/** Outcomes of deferred completions. One statement deletes an answer and returns it, so that only one reader gets it. */
export function createDeferredStore(database: Database) {
  const insertRow = prepareInsert(database.kysely, "deferredCompletions");
  const endRow = prepareEnding(database);
  const takeAnswer = prepareTake(database);
  const findOther = prepareFind(database);
  return {
    /** Inserts a pending one. */
    insertion: ({ id, teamId, userId, createTime }: NewDeferred): Write =>
      createWrite("deferredCompletions", insertRow({ id, teamId, userId, createTime, state: "pending" })),
    /** Writes the outcome of a pending one; it can be fetched until `expireTime`. */
    ending: (id: string, outcome: EndedOutcome, expireTime: number): Write =>
      createWrite(
        "deferredCompletions",
        endRow({ id, state: outcome.state, outcome: writeOutcome(outcome), expireTime }),
      ),
    /**
     * Returns the outcome. An answer is deleted by reading it; a failure stays until it expires.
     * @returns null for one that does not exist, belongs to another team, was read already or has expired.
     */
    async take(id: string, teamId: string, now: number): Promise<DeferredOutcome | null> {
      const reading = { id, teamId, now };
      const answer = (await takeAnswer(reading)).rows[0]?.outcome ?? null;
      if (answer !== null) return { state: "done", answer };
      const row = (await findOther(reading)).rows[0];
      if (row === undefined) return null;
      // One that ended between the two statements counts as pending: the next call returns the answer.
      if (row.state !== "failed" || row.outcome === null) return { state: "pending" };
      return { state: "failed", failure: row.outcome };
    },
    /** Deletes one, whatever its state. @returns false when it does not exist or belongs to another team. */
    async delete(id: string, teamId: string): Promise<boolean> {
      const query = database.kysely
        .deleteFrom("deferredCompletions")
        .where("id", "=", id)
        .where("teamId", "=", teamId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(database.kysely, { table: "deferredCompletions", key: "id" }, now, limit),
  };
}

interface NewDeferred extends StoredOwner {
  readonly id: string;
  readonly createTime: number;
}

function writeOutcome(outcome: EndedOutcome): string {
  return outcome.state === "done" ? outcome.answer : outcome.failure;
}

function prepareEnding({ kysely }: Database) {
  const names = ["id", "state", "outcome", "expireTime"] as const;
  return prepareBinding(names, ({ id, ...ending }: Columns<"deferredCompletions", typeof names>) =>
    kysely.updateTable("deferredCompletions").set(ending).where("id", "=", id).where("state", "=", "pending"),
  );
}

interface Reading {
  readonly id: string;
  readonly teamId: string;
  readonly now: number;
}

function prepareTake({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId", "now"], ({ id, teamId, now }: Reading) =>
    kysely
      .deleteFrom("deferredCompletions")
      .where("id", "=", id)
      .where("teamId", "=", teamId)
      .where("state", "=", "done")
      .where("expireTime", ">", now)
      .returning("outcome"),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId", "now"], ({ id, teamId, now }: Reading) =>
    kysely
      .selectFrom("deferredCompletions")
      .select(["state", "outcome"])
      .where("id", "=", id)
      .where("teamId", "=", teamId)
      .where((row) => row.or([row("expireTime", "is", null), row("expireTime", ">", now)])),
  );
}
