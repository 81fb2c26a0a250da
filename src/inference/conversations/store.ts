import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import { prepare, prepareBinding } from "../../store/prepared.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { StoredItem } from "../responses/stored-response.js";
import { type StoredConversation, measureItem, type ItemsPage, type ItemsQuery } from "./conversation.js";
import type { Row } from "../../store/tables.js";

export type ConversationStore = ReturnType<typeof createConversationStore>;

/** The table of conversations; their items are in a separate table and are deleted with them. */
export function createConversationStore(database: Database) {
  const { kysely } = database;
  const items = createItemTable(database);
  const insertRow = prepareInsertion(database);
  const findRow = prepareFind(database);
  const checkRow = prepareCheck(database);
  return {
    /** Inserts a conversation with its items; a conflict when the team has as many conversations as it may. */
    insertion: (
      conversation: StoredConversation,
      initial: readonly StoredItem[],
      teamConversationsMax: number,
    ): readonly Write[] => [
      createWrite("conversations", insertRow({ ...conversation, max: teamConversationsMax }), 1),
      ...items.insertion(conversation.id, initial, "new"),
    ],
    /** Adds items; a conflict when the conversation does not exist, has one of them already, or would become too large. */
    addition: (id: string, teamId: string, added: readonly StoredItem[], limits: ItemLimits) => [
      createWrite("conversations", checkRow({ id, teamId, ...limits }), 1),
      ...items.insertion(id, added, "new"),
    ],
    /** Adds the items that a conversation does not have; does nothing when it does not exist. */
    extension: (id: string, added: readonly StoredItem[]): readonly Write[] =>
      items.insertion(id, added, "missing"),
    ...createChanges(database),
    /** @returns null when it does not exist or belongs to another team. */
    async find(id: string, teamId: string): Promise<StoredConversation | null> {
      return (await findRow({ id, teamId })).rows[0] ?? null;
    },
    /** Whether a queued or running background response of a conversation has not ended. */
    async hasUnfinishedResponse(id: string): Promise<boolean> {
      const row = await kysely
        .selectFrom("responses")
        .select("id")
        .where("conversationId", "=", id)
        // A literal, because SQLite does not use the partial index for a parameter.
        .where("status", "in", [sql.lit("queued" as const), sql.lit("in_progress" as const)])
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    items,
  };
}

function createChanges({ kysely }: Database) {
  return {
    removal: (id: string, teamId: string): Write =>
      createWrite(
        "conversations",
        kysely.deleteFrom("conversations").where("id", "=", id).where("teamId", "=", teamId).compile(),
        1,
      ),
    update: (id: string, teamId: string, metadata: string): Write =>
      createWrite(
        "conversations",
        kysely
          .updateTable("conversations")
          .set({ metadata })
          .where("id", "=", id)
          .where("teamId", "=", teamId)
          .compile(),
        1,
      ),
  };
}

/** What the items of a conversation may be at most before further ones are added. */
interface ItemLimits {
  readonly itemsMax: number;
  readonly bytesMax: number;
}

function prepareInsertion({ kysely }: Database) {
  type Insertion = StoredConversation & { readonly max: number };
  return prepareBinding(["id", "teamId", "createTime", "metadata", "max"], (row: Insertion) =>
    kysely
      .insertInto("conversations")
      .columns(["id", "teamId", "createTime", "metadata"])
      .expression((database) =>
        database
          .selectFrom("teams")
          .select([
            sql<string>`${row.id}`.as("id"),
            "teams.id as teamId",
            sql<number>`${row.createTime}`.as("createTime"),
            sql<string>`${row.metadata}`.as("metadata"),
          ])
          .where("teams.id", "=", row.teamId)
          .where(
            sql<boolean>`(select count(*) < ${row.max} from conversations where team_id = ${row.teamId})`,
          ),
      ),
  );
}

/** Changes nothing: it counts as a changed row when the items of the conversation are within the limits. */
function prepareCheck({ kysely }: Database) {
  type Check = ItemLimits & { readonly id: string; readonly teamId: string };
  return prepareBinding(
    ["id", "teamId", "itemsMax", "bytesMax"],
    ({ id, teamId, itemsMax, bytesMax }: Check) =>
      kysely
        .updateTable("conversations")
        .set((row) => ({ metadata: row.ref("metadata") }))
        .where("id", "=", id)
        .where("teamId", "=", teamId)
        .where(
          sql<boolean>`(select count(*) <= ${itemsMax} and coalesce(sum(bytes), 0) <= ${bytesMax}
          from conversation_items where conversation_id = ${id})`,
        ),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId"], ({ id, teamId }: { id: string; teamId: string }) =>
    kysely.selectFrom("conversations").selectAll().where("id", "=", id).where("teamId", "=", teamId),
  );
}

/** The table of a conversation's items. Its methods do not check which team the conversation belongs to. */
function createItemTable(database: Database) {
  const { kysely } = database;
  const insertRow = prepareItemInsertion(database);
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
function prepareItemInsertion({ kysely }: Database) {
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
