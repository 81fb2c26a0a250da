import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import { prepareInsert } from "../../store/prepared.js";
import { deleteExpired } from "../../store/tables/delete-expired.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { CompletionsQuery, ListedCompletion, StoredCompletion } from "./stored-completion.js";

export type CompletionStore = ReturnType<typeof createCompletionStore>;

/** The table of stored chat completions. */
export function createCompletionStore(database: Database) {
  const { kysely } = database;
  const insertRow = prepareInsert(kysely, "chatCompletions");
  const ofTeam = (id: string, teamId: string) =>
    kysely.selectFrom("chatCompletions").where("id", "=", id).where("teamId", "=", teamId);
  return {
    insertion: (completion: StoredCompletion): Write => createWrite("chatCompletions", insertRow(completion)),
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
    update: (id: string, teamId: string, metadata: string): Write =>
      createWrite(
        "chatCompletions",
        kysely
          .updateTable("chatCompletions")
          .set({ metadata })
          .where("id", "=", id)
          .where("teamId", "=", teamId)
          .compile(),
        1,
      ),
    /** A conflict when it does not exist or belongs to another team. */
    removal: (id: string, teamId: string): Write =>
      createWrite(
        "chatCompletions",
        kysely.deleteFrom("chatCompletions").where("id", "=", id).where("teamId", "=", teamId).compile(),
        1,
      ),
    async count(): Promise<number> {
      const { count } = await kysely
        .selectFrom("chatCompletions")
        .select((row) => row.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired(kysely, { table: "chatCompletions", key: "entry" }, now, limit),
  };
}

/** Returns one more completion than `limit` when there are more; null when there is no completion `after`. */
async function findPage(
  { kysely, dialect }: Database,
  teamId: string,
  { limit, order, after, model, metadata }: CompletionsQuery,
): Promise<readonly ListedCompletion[] | null> {
  let page = kysely.selectFrom("chatCompletions").where("teamId", "=", teamId);
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
