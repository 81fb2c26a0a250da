import { HearthError } from "../../../core/errors.js";
import { sql } from "kysely";
import {
  type ResponseEnding,
  type StoredItem,
  type StoredResponse,
  unfinishedStatuses,
} from "../stored-response.js";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding, prepareInsert } from "../../../store/prepared.js";
import { createResponseEvents } from "./response-events.js";
import { createResponseItems } from "./response-items.js";
import type { Columns } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";

export type ResponseStore = ReturnType<typeof createResponseStore>;

/**
 * The table of responses; their items and stored streams are in separate tables and are deleted with them. Each statement that ends a
 * response checks its status, and the last one changes it, so that a response that has ended is never changed again.
 */
export function createResponseStore(database: Database) {
  const { kysely } = database;
  const items = createResponseItems(database);
  const events = createResponseEvents(database);
  const insertRow = prepareInsert(kysely, "responses");
  const endRow = prepareEnding(database);
  const findRow = prepareFind(database);
  return {
    /** Inserts a response with its input items, and the output items of one that has ended already. */
    insertion: (
      response: StoredResponse,
      input: readonly StoredItem[],
      output: readonly StoredItem[],
    ): readonly Write[] => [
      createWrite("responses", insertRow(response)),
      ...items.insertion(response, "input", input),
      ...items.insertion(response, "output", output),
    ],
    /** Writes how a response ended; does nothing when it has ended already or was deleted. */
    ending: (id: string, ending: ResponseEnding): readonly Write[] => [
      ...items.ending(id, ending.output),
      ...(ending.events === null ? [] : [events.ending(id, ending.events)]),
      createWrite("responses", endRow({ id, status: ending.status, body: ending.body })),
    ],
    /** @returns null when it does not exist or belongs to another team; the methods below do the same. */
    async find(id: string, teamId: string): Promise<StoredResponse | null> {
      return (await findRow({ id, teamId })).rows[0] ?? null;
    },
    /** Returns the compressed stream of a response that has ended. */
    events: (id: string, teamId: string) => events.find(id, teamId),
    /** Returns its own input items, in order. */
    input: (id: string, teamId: string) => items.input(id, teamId),
    /** See `prepareConversation`. */
    chain: (id: string, teamId: string, responsesMax: number) => items.chain(id, teamId, responsesMax),
    /** Returns the newest items of those ids among the team's responses, by id. */
    items: (ids: readonly string[], teamId: string) => items.newest(ids, teamId),
    ...createDeletion(database),
    ...createStatusAndCount(database),
  };
}

function createStatusAndCount({ kysely }: Database) {
  return {
    /** Marks a queued response as in progress; does nothing when it is not queued. */
    async markStarted(id: string, body: string): Promise<void> {
      await kysely
        .updateTable("responses")
        .set({ status: "in_progress", body })
        .where("id", "=", id)
        .where("status", "=", "queued")
        .execute();
    },
    async count(): Promise<number> {
      const { count } = await kysely
        .selectFrom("responses")
        .select((response) => response.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

function createDeletion({ kysely, commit }: Database) {
  return {
    /**
     * Resolves when the deletion is synced to disk.
     * @returns false when it does not exist or belongs to another team.
     */
    async delete(id: string, teamId: string): Promise<boolean> {
      const query = kysely.deleteFrom("responses").where("id", "=", id).where("teamId", "=", teamId);
      try {
        await commit([{ query: query.compile(), rows: 1 }], true);
        return true;
      } catch (thrown) {
        if (thrown instanceof HearthError && thrown.kind === "conflict") return false;
        throw thrown;
      }
    },
    /** Deletes up to `limit` that have ended and expired. @returns how many were deleted. */
    async deleteExpired(now: number, limit: number): Promise<number> {
      const { numDeletedRows } = await kysely
        .deleteFrom("responses")
        .where("id", "in", (row) =>
          row
            .selectFrom("responses")
            .select("id")
            // Literals: SQLite uses the partial index of ended responses only when it sees the values.
            .where(
              "status",
              "not in",
              unfinishedStatuses.map((status) => sql.lit(status)),
            )
            .where("expireTime", "<=", now)
            .orderBy("expireTime")
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function prepareEnding({ kysely }: Database) {
  const names = ["id", "status", "body"] as const;
  return prepareBinding(names, ({ id, ...ending }: Columns<"responses", typeof names>) =>
    kysely
      .updateTable("responses")
      .set(ending)
      .where("id", "=", id)
      .where("status", "in", unfinishedStatuses),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId"], ({ id, teamId }: { id: string; teamId: string }) =>
    kysely.selectFrom("responses").selectAll().where("id", "=", id).where("teamId", "=", teamId),
  );
}
