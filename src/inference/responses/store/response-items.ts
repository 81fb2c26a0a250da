import { sql } from "kysely";
import type { StoredItem, StoredResponse } from "../stored-response.js";
import type { Write } from "../../../store/writes.js";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import { prepareConversation } from "./conversation.js";
import type { ItemRow } from "../../../store/schema.js";
import { unfinishedStatuses } from "../stored-response.js";
import { createWrite } from "../../../store/writes.js";

/** The table of input and output items; they are deleted with their response. Each item is one execution of a prepared statement. */
export function createResponseItems(database: Database) {
  const insertRow = prepareInsertion(database);
  const endRow = prepareEnding(database);
  const selectInput = prepareInput(database);
  const selectNewest = prepareNewest(database);
  return {
    insertion: (
      response: Pick<StoredResponse, "id" | "teamId">,
      side: ItemRow["side"],
      items: readonly StoredItem[],
    ): readonly Write[] =>
      items.map(({ id, body }, position) =>
        createWrite(
          "response_items",
          insertRow({ response_id: response.id, team_id: response.teamId, side, position, id, body }),
        ),
      ),
    /** Inserts the output items of a response that exists and has not ended. */
    ending: (responseId: string, output: readonly StoredItem[]): readonly Write[] =>
      output.map(({ id, body }, position) =>
        createWrite("response_items", endRow({ response_id: responseId, position, id, body })),
      ),
    /** @returns null when the response does not exist or belongs to another team. */
    async input(responseId: string, teamId: string): Promise<readonly StoredItem[] | null> {
      const { rows } = await selectInput({ responseId, teamId });
      return rows.length === 0 ? null : rows.flatMap(itemOf);
    },
    chain: prepareConversation(database),
    /** Returns the newest items of those ids among the team's responses, by id. */
    async newest(ids: readonly string[], teamId: string): Promise<ReadonlyMap<string, string>> {
      const { rows } = await selectNewest({ ids: JSON.stringify(ids), teamId });
      return new Map(rows.flatMap(itemOf).map(({ id, body }) => [id, body]));
    },
  };
}

/** Returns no item when the outer join found none. */
function itemOf(row: { id: string | null; body: string | null }): readonly StoredItem[] {
  return row.id === null || row.body === null ? [] : [{ id: row.id, body: row.body }];
}

type Insertion = Omit<ItemRow, "entry">;

function prepareInsertion({ kysely }: Database) {
  const columns = ["response_id", "team_id", "side", "position", "id", "body"] as const;
  return prepareBinding(columns, (row: Insertion) => kysely.insertInto("response_items").values(row));
}

function prepareEnding({ kysely }: Database) {
  type Ending = Omit<Insertion, "team_id" | "side">;
  return prepareBinding(["response_id", "position", "id", "body"], (row: Ending) =>
    kysely
      .insertInto("response_items")
      .columns(["response_id", "team_id", "side", "position", "id", "body"])
      .expression((response) =>
        response
          .selectFrom("responses")
          .select([
            "responses.id as response_id",
            "team_id",
            sql.lit("output").as("side"),
            sql`${row.position}`.as("position"),
            sql`${row.id}`.as("id"),
            sql`${row.body}`.as("body"),
          ])
          .where("responses.id", "=", row.response_id)
          .where("status", "in", unfinishedStatuses),
      ),
  );
}

function prepareInput({ kysely }: Database) {
  type Reading = Readonly<Record<"responseId" | "teamId", string>>;
  return prepare(kysely, ["responseId", "teamId"], ({ responseId, teamId }: Reading) =>
    kysely
      .selectFrom("responses")
      .leftJoin("response_items as item", (join) =>
        join.onRef("item.response_id", "=", "responses.id").on("item.side", "=", "input"),
      )
      .select(["item.id", "item.body"])
      .where("responses.id", "=", responseId)
      .where("responses.team_id", "=", teamId)
      .orderBy("item.position"),
  );
}

function prepareNewest({ kysely, dialect }: Database) {
  type Reading = Readonly<Record<"ids" | "teamId", string>>;
  return prepare(kysely, ["ids", "teamId"], ({ ids, teamId }: Reading) =>
    kysely
      .selectFrom(dialect.listOf(ids).as("wanted"))
      .select((wanted) => [
        "wanted.value as id",
        wanted
          .selectFrom("response_items as item")
          .select("item.body")
          .where("item.team_id", "=", teamId)
          .whereRef("item.id", "=", "wanted.value")
          .orderBy("item.entry", "desc")
          .limit(1)
          .as("body"),
      ]),
  );
}
