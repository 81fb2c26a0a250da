import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import type { ConversationRow } from "../../../store/schema.js";
import { createWrite, type Write } from "../../../store/writes.js";
import type { StoredItem } from "../../responses/stored-response.js";
import type { Conversation, ConversationLimits } from "../conversation.js";
import { createConversationItems } from "./conversation-items.js";
import { createRowMapper, type Columns } from "../../../store/columns.js";

export type ConversationStore = ReturnType<typeof createConversationStore>;

const columns = {
  id: "id",
  teamId: "team_id",
  createTime: "create_time",
  metadata: "metadata",
} as const satisfies Columns<Conversation, ConversationRow>;
const { toRow, fromRow } = createRowMapper<Conversation, ConversationRow>(columns);

/** The table of conversations; their items are in a separate table and are deleted with them. */
export function createConversationStore(database: Database) {
  const { kysely } = database;
  const items = createConversationItems(database);
  const insertRow = prepareInsertion(database);
  const findRow = prepareFind(database);
  const checkRow = prepareCheck(database);
  return {
    /** Inserts a conversation with its items; a conflict when the team has as many conversations as it may. */
    insertion: (
      conversation: Conversation,
      initial: readonly StoredItem[],
      { teamConversationsMax }: Pick<ConversationLimits, "teamConversationsMax">,
    ): readonly Write[] => [
      createWrite("conversations", insertRow({ ...toRow(conversation), max: teamConversationsMax }), 1),
      ...items.insertion(conversation.id, initial, "new"),
    ],
    /** Adds items; a conflict when the conversation does not exist, has one of them already, or would become too large. */
    addition: (id: string, teamId: string, added: readonly StoredItem[], limits: ItemLimits) => [
      createWrite("conversations", checkRow({ id, team_id: teamId, ...limits }), 1),
      ...items.insertion(id, added, "new"),
    ],
    /** Adds the items that a conversation does not have; does nothing when it does not exist. */
    extension: (id: string, added: readonly StoredItem[]): readonly Write[] =>
      items.insertion(id, added, "missing"),
    ...createChanges(database),
    /** @returns null when it does not exist or belongs to another team. */
    async find(id: string, teamId: string): Promise<Conversation | null> {
      const row = (await findRow({ id, teamId })).rows[0];
      return row === undefined ? null : fromRow(row);
    },
    /** Whether a queued or running background response of a conversation has not ended. */
    async hasUnfinishedResponse(id: string): Promise<boolean> {
      const row = await kysely
        .selectFrom("responses")
        .select("id")
        .where("conversation_id", "=", id)
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
        kysely.deleteFrom("conversations").where("id", "=", id).where("team_id", "=", teamId).compile(),
        1,
      ),
    update: ({ id, teamId, metadata }: Pick<Conversation, "id" | "teamId" | "metadata">): Write =>
      createWrite(
        "conversations",
        kysely
          .updateTable("conversations")
          .set({ metadata })
          .where("id", "=", id)
          .where("team_id", "=", teamId)
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
  type Insertion = ConversationRow & { readonly max: number };
  return prepareBinding(["id", "team_id", "create_time", "metadata", "max"], (row: Insertion) =>
    kysely
      .insertInto("conversations")
      .columns(["id", "team_id", "create_time", "metadata"])
      .expression((database) =>
        database
          .selectFrom("teams")
          .select([
            sql<string>`${row.id}`.as("id"),
            "teams.id as team_id",
            sql<number>`${row.create_time}`.as("create_time"),
            sql<string>`${row.metadata}`.as("metadata"),
          ])
          .where("teams.id", "=", row.team_id)
          .where(
            sql<boolean>`(select count(*) < ${row.max} from conversations where team_id = ${row.team_id})`,
          ),
      ),
  );
}

/** Changes nothing: it counts as a changed row when the items of the conversation are within the limits. */
function prepareCheck({ kysely }: Database) {
  type Check = Pick<ConversationRow, "id" | "team_id"> & ItemLimits;
  return prepareBinding(
    ["id", "team_id", "itemsMax", "bytesMax"],
    ({ id, team_id, itemsMax, bytesMax }: Check) =>
      kysely
        .updateTable("conversations")
        .set((row) => ({ metadata: row.ref("metadata") }))
        .where("id", "=", id)
        .where("team_id", "=", team_id)
        .where(
          sql<boolean>`(select count(*) <= ${itemsMax} and coalesce(sum(bytes), 0) <= ${bytesMax}
          from conversation_items where conversation_id = ${id})`,
        ),
  );
}

function prepareFind({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId"], ({ id, teamId }: { id: string; teamId: string }) =>
    kysely.selectFrom("conversations").selectAll().where("id", "=", id).where("team_id", "=", teamId),
  );
}
