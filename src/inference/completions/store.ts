import { sql } from "kysely";
import { createRowMapper, type Columns } from "../../store/columns.js";
import type { Database } from "../../store/database.js";
import { prepareBinding } from "../../store/prepared.js";
import type { ChatCompletionRow } from "../../store/schema.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { CompletionsQuery, ListedCompletion, StoredCompletion } from "./stored-completion.js";

export type CompletionStore = ReturnType<typeof createCompletionStore>;

type Row = Omit<ChatCompletionRow, "entry">;

const columns = {
  id: "id",
  teamId: "team_id",
  userId: "user_id",
  model: "model",
  createTime: "create_time",
  expireTime: "expire_time",
  metadata: "metadata",
  messages: "messages",
  body: "body",
} as const satisfies Columns<StoredCompletion, Row>;
const { toRow } = createRowMapper<StoredCompletion, Row>(columns);

/** The table of stored chat completions. */
export function createCompletionStore(database: Database) {
  const { kysely } = database;
  const insertRow = prepareBinding(Object.values(columns), (row: Row) =>
    kysely.insertInto("chat_completions").values(row),
  );
  const ofTeam = (id: string, teamId: string) =>
    kysely.selectFrom("chat_completions").where("id", "=", id).where("team_id", "=", teamId);
  return {
    insertion: (completion: StoredCompletion): Write =>
      createWrite("chat_completions", insertRow(toRow(completion))),
    /** @returns null when it does not exist or belongs to another team. */
    async find(id: string, teamId: string): Promise<ListedCompletion | null> {
      return (await ofTeam(id, teamId).select(["id", "metadata", "body"]).executeTakeFirst()) ?? null;
    },
    /** Returns the JSON text of the messages of its request; null when it does not exist or belongs to another team. */
    async messages(id: string, teamId: string): Promise<string | null> {
      return (await ofTeam(id, teamId).select("messages").executeTakeFirst())?.messages ?? null;
    },
    page: (teamId: string, query: CompletionsQuery) => findPage(database, teamId, query),
    ...createChanges(database),
  };
}

function createChanges({ kysely }: Database) {
  return {
    /** A conflict when it does not exist or belongs to another team. */
    update: ({ id, teamId, metadata }: Pick<StoredCompletion, "id" | "teamId" | "metadata">): Write =>
      createWrite(
        "chat_completions",
        kysely
          .updateTable("chat_completions")
          .set({ metadata })
          .where("id", "=", id)
          .where("team_id", "=", teamId)
          .compile(),
        1,
      ),
    /** A conflict when it does not exist or belongs to another team. */
    removal: (id: string, teamId: string): Write =>
      createWrite(
        "chat_completions",
        kysely.deleteFrom("chat_completions").where("id", "=", id).where("team_id", "=", teamId).compile(),
        1,
      ),
    async count(): Promise<number> {
      const { count } = await kysely
        .selectFrom("chat_completions")
        .select((row) => row.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired({ kysely }, { table: "chat_completions", key: "entry" }, now, limit),
  };
}

/** Returns one more completion than `limit` when there are more; null when there is no completion `after`. */
async function findPage(
  { kysely, dialect }: Database,
  teamId: string,
  { limit, order, after, model, metadata }: CompletionsQuery,
): Promise<readonly ListedCompletion[] | null> {
  let page = kysely.selectFrom("chat_completions").where("team_id", "=", teamId);
  if (after !== null) {
    const start = await page.select("entry").where("id", "=", after).executeTakeFirst();
    if (start === undefined) return null;
    page = page.where("entry", order === "asc" ? ">" : "<", start.entry);
  }
  if (model !== null) page = page.where("model", "=", model);
  for (const [key, value] of Object.entries(metadata))
    page = page.where(dialect.hasPair(sql.ref("metadata"), key, value));
  return page
    .select(["id", "metadata", "body"])
    .orderBy("entry", order)
    .limit(limit + 1)
    .execute();
}
