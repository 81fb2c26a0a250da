import type { DeferredOutcome, EndedOutcome } from "./deferred-completion.js";
import type { StoredOwner } from "../../inference/stored-owner.js";
import type { Database } from "../../store/database.js";
import { prepare, prepareBinding } from "../../store/prepared.js";
import type { DeferredRow } from "../../store/schema.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../store/writes.js";

export type DeferredStore = ReturnType<typeof createDeferredStore>;

/** Outcomes of deferred completions. One statement deletes an answer and returns it, so that only one reader gets it. */
export function createDeferredStore(database: Database) {
  const insertRow = prepareInsertion(database);
  const endRow = prepareEnding(database);
  const takeAnswer = prepareTake(database);
  const findOther = prepareFind(database);
  return {
    /** Inserts a pending one. */
    insertion: ({ id, teamId, userId, createTime }: NewDeferred): Write =>
      createWrite(
        "deferred_completions",
        insertRow({ id, team_id: teamId, user_id: userId, create_time: createTime }),
      ),
    /** Writes the outcome of a pending one; it can be fetched until `expireTime`. */
    ending: (id: string, outcome: EndedOutcome, expireTime: number): Write =>
      createWrite(
        "deferred_completions",
        endRow({ id, state: outcome.state, outcome: textOf(outcome), expire_time: expireTime }),
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
        .deleteFrom("deferred_completions")
        .where("id", "=", id)
        .where("team_id", "=", teamId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(database, { table: "deferred_completions", key: "id" }, now, limit),
  };
}

interface NewDeferred extends StoredOwner {
  readonly id: string;
  readonly createTime: number;
}

function textOf(outcome: EndedOutcome): string {
  return outcome.state === "done" ? outcome.answer : outcome.failure;
}

type Insertion = Pick<DeferredRow, "id" | "team_id" | "user_id" | "create_time">;

function prepareInsertion({ kysely }: Database) {
  return prepareBinding(["id", "team_id", "user_id", "create_time"], (row: Insertion) =>
    kysely.insertInto("deferred_completions").values({ ...row, state: "pending" }),
  );
}

type Ending = Pick<DeferredRow, "id" | "state" | "outcome" | "expire_time">;

function prepareEnding({ kysely }: Database) {
  return prepareBinding(["id", "state", "outcome", "expire_time"], ({ id, ...ending }: Ending) =>
    kysely
      .updateTable("deferred_completions")
      .set(ending)
      .where("id", "=", id)
      .where("state", "=", "pending"),
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
      .deleteFrom("deferred_completions")
      .where("id", "=", id)
      .where("team_id", "=", teamId)
      .where("state", "=", "done")
      .where("expire_time", ">", now)
      .returning("outcome"),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId", "now"], ({ id, teamId, now }: Reading) =>
    kysely
      .selectFrom("deferred_completions")
      .select(["state", "outcome"])
      .where("id", "=", id)
      .where("team_id", "=", teamId)
      .where((row) => row.or([row("expire_time", "is", null), row("expire_time", ">", now)])),
  );
}
