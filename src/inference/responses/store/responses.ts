import { sql } from "kysely";
import { HearthError } from "../../../core/errors.js";
import {
  type ResponseEnding,
  type StoredItem,
  type StoredResponse,
  unfinishedStatuses,
} from "../stored-response.js";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding, prepareInsert } from "../../../store/prepared.js";
import type { Columns, Row } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";
import { prepareConversation } from "./conversation.js";

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

/** The table of compressed streams; a row is deleted with its response. */
function createResponseEvents({ kysely }: Database) {
  const endRow = prepareBinding(["responseId", "events"], (kept: Row<"responseEvents">) =>
    kysely
      .insertInto("responseEvents")
      .columns(["responseId", "events"])
      .expression((row) =>
        row
          .selectFrom("responses")
          .select(["id", sql`${kept.events}`.as("events")])
          .where("id", "=", kept.responseId)
          .where("status", "in", unfinishedStatuses),
      ),
  );
  return {
    /** Stores the stream of a response that exists and has not ended. */
    ending: (responseId: string, events: Uint8Array): Write =>
      createWrite("responseEvents", endRow({ responseId, events })),
    /** @returns null when there is none, or the response belongs to another team. */
    async find(responseId: string, teamId: string): Promise<Uint8Array | null> {
      const row = await kysely
        .selectFrom("responseEvents")
        .innerJoin("responses", "responses.id", "responseEvents.responseId")
        .select("events")
        .where("responses.id", "=", responseId)
        .where("responses.teamId", "=", teamId)
        .executeTakeFirst();
      return row?.events ?? null;
    },
  };
}

/** The table of input and output items; they are deleted with their response. Each item is one execution of a prepared statement. */
function createResponseItems(database: Database) {
  const insertRow = prepareInsert(database.kysely, "responseItems");
  const endRow = prepareItemEnding(database);
  const selectInput = prepareInput(database);
  const selectNewest = prepareNewest(database);
  return {
    insertion: (
      response: StoredResponse,
      side: Row<"responseItems">["side"],
      items: readonly StoredItem[],
    ): readonly Write[] =>
      items.map(({ id, body }, position) =>
        createWrite(
          "responseItems",
          insertRow({ responseId: response.id, teamId: response.teamId, side, position, id, body }),
        ),
      ),
    /** Inserts the output items of a response that exists and has not ended. */
    ending: (responseId: string, output: readonly StoredItem[]): readonly Write[] =>
      output.map(({ id, body }, position) =>
        createWrite("responseItems", endRow({ responseId, position, id, body })),
      ),
    /** @returns null when the response does not exist or belongs to another team. */
    async input(responseId: string, teamId: string): Promise<readonly StoredItem[] | null> {
      const { rows } = await selectInput({ responseId, teamId });
      return rows.length === 0 ? null : rows.flatMap(readItem);
    },
    chain: prepareConversation(database),
    /** Returns the newest items of those ids among the team's responses, by id. */
    async newest(ids: readonly string[], teamId: string): Promise<ReadonlyMap<string, string>> {
      const { rows } = await selectNewest({ ids: JSON.stringify(ids), teamId });
      return new Map(rows.flatMap(readItem).map(({ id, body }) => [id, body]));
    },
  };
}

/** Returns no item when the outer join found none. */
function readItem(row: { id: string | null; body: string | null }): readonly StoredItem[] {
  return row.id === null || row.body === null ? [] : [{ id: row.id, body: row.body }];
}

function prepareItemEnding({ kysely }: Database) {
  const names = ["responseId", "position", "id", "body"] as const;
  return prepareBinding(names, (row: Columns<"responseItems", typeof names>) =>
    kysely
      .insertInto("responseItems")
      .columns(["responseId", "teamId", "side", "position", "id", "body"])
      .expression((response) =>
        response
          .selectFrom("responses")
          .select([
            "responses.id as responseId",
            "teamId",
            sql.lit("output").as("side"),
            sql`${row.position}`.as("position"),
            sql`${row.id}`.as("id"),
            sql`${row.body}`.as("body"),
          ])
          .where("responses.id", "=", row.responseId)
          .where("status", "in", unfinishedStatuses),
      ),
  );
}

function prepareInput({ kysely }: Database) {
  type Reading = Readonly<Record<"responseId" | "teamId", string>>;
  return prepare(kysely, ["responseId", "teamId"], ({ responseId, teamId }: Reading) =>
    kysely
      .selectFrom("responses")
      .leftJoin("responseItems as item", (join) =>
        join.onRef("item.responseId", "=", "responses.id").on("item.side", "=", "input"),
      )
      .select(["item.id", "item.body"])
      .where("responses.id", "=", responseId)
      .where("responses.teamId", "=", teamId)
      .orderBy("item.position"),
  );
}

function prepareNewest({ kysely, dialect }: Database) {
  type Reading = Readonly<Record<"ids" | "teamId", string>>;
  return prepare(kysely, ["ids", "teamId"], ({ ids, teamId }: Reading) =>
    kysely
      .selectFrom(dialect.selectStrings(ids).as("wanted"))
      .select((wanted) => [
        "wanted.value as id",
        wanted
          .selectFrom("responseItems as item")
          .select("item.body")
          .where("item.teamId", "=", teamId)
          .whereRef("item.id", "=", "wanted.value")
          .orderBy("item.entry", "desc")
          .limit(1)
          .as("body"),
      ]),
  );
}
