import { sql } from "kysely";
import { type StoredItem, type StoredResponse, unfinishedStatuses } from "../stored-response.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding, prepareInsert } from "../../../store/prepared.js";
import { prepareConversation } from "./conversation.js";
import type { Columns, Row } from "../../../store/tables.js";

/** The table of input and output items; they are deleted with their response. Each item is one execution of a prepared statement. */
export function createResponseItems(database: Database) {
  const insertRow = prepareInsert(database.kysely, "responseItems");
  const endRow = prepareEnding(database);
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

function prepareEnding({ kysely }: Database) {
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
