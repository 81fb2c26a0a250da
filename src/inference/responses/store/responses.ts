import { sql } from "kysely";
import type { ResponseStore, StoredResponse } from "../stored-response.js";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import { createResponseEvents } from "./response-events.js";
import { createResponseItems } from "./response-items.js";
import type { ResponseRow } from "../../../store/schema.js";
import { unended } from "../stored-response.js";
import { writeOf } from "../../../store/writes.js";

const columns = [
  "id",
  "team_id",
  "previous_id",
  "status",
  "background",
  "streamed",
  "create_time",
  "expire_time",
  "body",
] as const;

/**
 * The table of responses; their items and kept streams are in tables of their own and go with them. What ends a response is
 * guarded by its status, statement by statement, the status itself last: so one that has ended takes nothing more.
 */
export function createResponseStore(database: Database): ResponseStore {
  const { kysely } = database;
  const items = createResponseItems(database);
  const events = createResponseEvents(database);
  const insertRow = prepareBinding(columns, (row: ResponseRow) => kysely.insertInto("responses").values(row));
  const endRow = prepareEnding(database);
  const findRow = prepareFind(database);
  return {
    insertion: (response, input, output) => [
      writeOf("responses", insertRow(toRow(response))),
      ...items.insertion(response, "input", input),
      ...items.insertion(response, "output", output),
    ],
    ending: (id, ending) => [
      ...items.ending(id, ending.output),
      ...(ending.events === null ? [] : [events.ending(id, ending.events)]),
      writeOf("responses", endRow({ id, status: ending.status, body: ending.body })),
    ],
    async begin(id, body) {
      await kysely
        .updateTable("responses")
        .set({ status: "in_progress", body })
        .where("id", "=", id)
        .where("status", "=", "queued")
        .execute();
    },
    async find(id, teamId) {
      const row = (await findRow({ id, teamId })).rows[0];
      return row === undefined ? null : fromRow(row);
    },
    events: (id, teamId) => events.find(id, teamId),
    input: (id, teamId) => items.input(id, teamId),
    chain: (id, teamId, responsesMax) => items.chain(id, teamId, responsesMax),
    items: (ids, teamId) => items.newest(ids, teamId),
    ...createDeletion(database),
    async count() {
      const { count } = await kysely
        .selectFrom("responses")
        .select((response) => response.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

function createDeletion({ kysely }: Database): Pick<ResponseStore, "delete" | "deleteExpired"> {
  return {
    async delete(id, teamId) {
      const { numDeletedRows } = await kysely
        .deleteFrom("responses")
        .where("id", "=", id)
        .where("team_id", "=", teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async deleteExpired(now, limit) {
      const { numDeletedRows } = await kysely
        .deleteFrom("responses")
        .where("id", "in", (row) =>
          row
            .selectFrom("responses")
            .select("id")
            // Literals: SQLite takes the partial index of ended responses only when it sees the values.
            .where(
              "status",
              "not in",
              unended.map((status) => sql.lit(status)),
            )
            .where("expire_time", "<=", now)
            .orderBy("expire_time")
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

type Ending = Pick<ResponseRow, "id" | "status" | "body">;

function prepareEnding({ kysely }: Database) {
  return prepareBinding(["id", "status", "body"], ({ id, ...ending }: Ending) =>
    kysely.updateTable("responses").set(ending).where("id", "=", id).where("status", "in", unended),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId"], ({ id, teamId }: { id: string; teamId: string }) =>
    kysely.selectFrom("responses").selectAll().where("id", "=", id).where("team_id", "=", teamId),
  );
}

function toRow(response: StoredResponse): ResponseRow {
  return {
    id: response.id,
    team_id: response.teamId,
    previous_id: response.previousId,
    status: response.status,
    background: Number(response.background),
    streamed: Number(response.streamed),
    create_time: response.createTime,
    expire_time: response.expireTime,
    body: response.body,
  };
}

function fromRow(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    teamId: row.team_id,
    previousId: row.previous_id,
    status: row.status,
    background: row.background === 1,
    streamed: row.streamed === 1,
    body: row.body,
    createTime: row.create_time,
    expireTime: row.expire_time,
  };
}
