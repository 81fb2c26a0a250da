import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { FilePage, FileQuery, FileUsage, StoredFile } from "./stored-file.js";

export type FileStore = ReturnType<typeof createFileStore>;

/** The table of files. */
export function createFileStore(database: Database) {
  const { kysely } = database;
  return {
    insertion: (file: StoredFile): Write =>
      createWrite("files", kysely.insertInto("files").values(file).compile()),
    /** Returns a file of the team; null when there is none, or it has expired. */
    async find(id: string, teamId: string, now: number): Promise<StoredFile | null> {
      const row = await kysely
        .selectFrom("files")
        .selectAll()
        .where("id", "=", id)
        .where("teamId", "=", teamId)
        .where((file) => file.or([file("expireTime", "is", null), file("expireTime", ">", now)]))
        .executeTakeFirst();
      return row ?? null;
    },
    list: (query: FileQuery, now: number) => list(database, query, now),
    /** Deletes the row of a file; does nothing when there is none. */
    async delete(id: string): Promise<void> {
      await kysely.deleteFrom("files").where("id", "=", id).execute();
    },
    async readUsage(teamId: string): Promise<FileUsage> {
      const { files, bytes } = await kysely
        .selectFrom("files")
        .select((file) => [file.fn.countAll<number>().as("files"), file.fn.sum<number>("bytes").as("bytes")])
        .where("teamId", "=", teamId)
        .executeTakeFirstOrThrow();
      return { files, bytes: bytes ?? 0 };
    },
    /** Returns the ids of up to `limit` files that expired before `now`. */
    async expired(now: number, limit: number): Promise<readonly string[]> {
      const rows = await kysely
        .selectFrom("files")
        .select("id")
        .where("expireTime", "<=", now)
        .orderBy("expireTime")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async exists(id: string): Promise<boolean> {
      return (await kysely.selectFrom("files").select("id").where("id", "=", id).execute()).length > 0;
    },
  };
}

/** Returns a page of the files that clients see. A cursor that is no file of the team gives an empty page. */
async function list({ kysely }: Database, query: FileQuery, now: number): Promise<FilePage> {
  const { teamId, purpose, order, after, limit } = query;
  const beyond = sql.raw(order === "asc" ? ">" : "<");
  const rows = await kysely
    .selectFrom("files")
    .selectAll()
    .where("teamId", "=", teamId)
    .where((file) => file.or([file("expireTime", "is", null), file("expireTime", ">", now)]))
    .where("purpose", purpose === null ? "!=" : "=", purpose ?? "message_batch_results")
    .$if(after !== null, (files) =>
      files.where(
        sql<boolean>`(create_time, id) ${beyond} (select create_time, id from files where id = ${after} and team_id = ${teamId})`,
      ),
    )
    .orderBy("createTime", order)
    .orderBy("id", order)
    .limit(limit + 1)
    .execute();
  return { files: rows.slice(0, limit), hasMore: rows.length > limit };
}
