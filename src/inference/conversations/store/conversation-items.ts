import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import type { Row } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { StoredItem } from "../../responses/stored-response.js";
import { measureItem, type ItemsPage, type ItemsQuery } from "../conversation.js";

/** The table of a conversation's items. Its methods do not check which team the conversation belongs to. */
export function createItemTable(database: Database) {
  const { kysely } = database;
  const insertRow = prepareInsertion(database);
  const selectAll = prepareAll(database);
  return {
    /** @param which `new`: an item that is there already is a conflict; `missing`: it is left as it is. */
    insertion: (
      conversationId: string,
      items: readonly StoredItem[],
      which: "new" | "missing",
    ): readonly Write[] =>
      items.map((item) =>
        createWrite(
          "conversationItems",
          insertRow({ conversationId, ...item, bytes: measureItem(item) }),
          which === "new" ? 1 : null,
        ),
      ),
    removal: (conversationId: string, id: string): Write =>
      createWrite(
        "conversationItems",
        kysely
          .deleteFrom("conversationItems")
          .where("conversationId", "=", conversationId)
          .where("id", "=", id)
          .compile(),
        1,
      ),
    /** Returns all items, the oldest first. */
    async all(conversationId: string): Promise<readonly StoredItem[]> {
      return (await selectAll({ conversationId })).rows;
    },
    /** Returns a page of items; null when there is no item `after`. */
    page: (conversationId: string, query: ItemsQuery) => findPage(database, conversationId, query),
    async find(conversationId: string, id: string): Promise<StoredItem | null> {
      const row = await kysely
        .selectFrom("conversationItems")
        .select(["id", "body"])
        .where("conversationId", "=", conversationId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },
    ...createChecks(database),
  };
}

function createChecks({ kysely, dialect }: Database) {
  return {
    /** Returns the id of an item that the conversation has already; null when it has none of them. */
    async findAny(conversationId: string, ids: readonly string[]): Promise<string | null> {
      const row = await kysely
        .selectFrom("conversationItems")
        .select("id")
        .where("conversationId", "=", conversationId)
        .where("id", "in", sql<string>`${dialect.selectStrings(JSON.stringify(ids))}`)
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    /** Returns how many items there are, and their size. */
    async size(conversationId: string): Promise<{ readonly items: number; readonly bytes: number }> {
      return kysely
        .selectFrom("conversationItems")
        .select((row) => [
          row.fn.countAll<number>().as("items"),
          row.fn.coalesce(row.fn.sum<number>("bytes"), sql.lit(0)).as("bytes"),
        ])
        .where("conversationId", "=", conversationId)
        .executeTakeFirstOrThrow();
    },
  };
}

async function findPage(
  database: Database,
  conversationId: string,
  { limit, order, after }: ItemsQuery,
): Promise<ItemsPage | null> {
  const { kysely } = database;
  const ofConversation = kysely.selectFrom("conversationItems").where("conversationId", "=", conversationId);
  const start =
    after === null ? null : await ofConversation.select("entry").where("id", "=", after).executeTakeFirst();
  if (start === undefined) return null;
  const page = ofConversation
    .select(["id", "body"])
    .orderBy("entry", order)
    // One more than requested, to find out whether there are more.
    .limit(limit + 1);
  const items = await (
    start === null ? page : page.where("entry", order === "asc" ? ">" : "<", start.entry)
  ).execute();
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}

type Insertion = Omit<Row<"conversationItems">, "entry">;

/** Inserts an item of a conversation that exists. */
function prepareInsertion({ kysely }: Database) {
  return prepareBinding(["conversationId", "id", "bytes", "body"], (row: Insertion) =>
    kysely
      .insertInto("conversationItems")
      .columns(["conversationId", "id", "bytes", "body"])
      .expression((database) =>
        database
          .selectFrom("conversations")
          .select([
            "conversations.id as conversationId",
            sql<string>`${row.id}`.as("id"),
            sql<number>`${row.bytes}`.as("bytes"),
            sql<string>`${row.body}`.as("body"),
          ])
          .where("conversations.id", "=", row.conversationId),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
}

function prepareAll({ kysely }: Database) {
  return prepare(kysely, ["conversationId"], ({ conversationId }: { conversationId: string }) =>
    kysely
      .selectFrom("conversationItems")
      .select(["id", "body"])
      .where("conversationId", "=", conversationId)
      .orderBy("entry"),
  );
}
