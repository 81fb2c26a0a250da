import type { DeferredOutcome, DeferredStore } from "./deferred-completion.js";
import type { Database } from "../../store/database.js";
import { prepare, prepareBinding } from "../../store/prepared.js";
import type { DeferredRow } from "../../store/schema.js";
import { writeOf } from "../../store/writes.js";

/** What came of deferred completions. One statement deletes an answer and returns it, so that one reader alone gets it. */
export function createDeferredStore(database: Database): DeferredStore {
  const { kysely } = database;
  const insertRow = prepareInsertion(database);
  const endRow = prepareEnding(database);
  const takeAnswer = prepareTake(database);
  const findOther = prepareFind(database);
  return {
    insertion: ({ id, teamId, createTime }) =>
      writeOf("deferred_completions", insertRow({ id, team_id: teamId, create_time: createTime })),
    ending: (id, outcome, expireTime) =>
      writeOf(
        "deferred_completions",
        endRow({ id, state: outcome.state, outcome: textOf(outcome), expire_time: expireTime }),
      ),
    async take(id, teamId, now) {
      const reading = { id, teamId, now };
      const answer = (await takeAnswer(reading)).rows[0]?.outcome ?? null;
      if (answer !== null) return { state: "done", answer };
      const row = (await findOther(reading)).rows[0];
      if (row === undefined) return null;
      // One that is done by now was pending a moment ago: whoever asks next gets the answer.
      if (row.state !== "failed" || row.outcome === null) return { state: "pending" };
      return { state: "failed", failure: row.outcome };
    },
    async deleteExpired(now, limit) {
      const { numDeletedRows } = await kysely
        .deleteFrom("deferred_completions")
        .where("id", "in", (row) =>
          row
            .selectFrom("deferred_completions")
            .select("id")
            .where("expire_time", "<=", now)
            .orderBy("expire_time")
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function textOf(outcome: Exclude<DeferredOutcome, { state: "pending" }>): string {
  return outcome.state === "done" ? outcome.answer : outcome.failure;
}

type Insertion = Pick<DeferredRow, "id" | "team_id" | "create_time">;

function prepareInsertion({ kysely }: Database) {
  return prepareBinding(["id", "team_id", "create_time"], (row: Insertion) =>
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
