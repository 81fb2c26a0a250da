/** Compares the schema of a database with the one that a file of SQL creates. */
import type Sqlite from "better-sqlite3";
import { connectSqlite } from "./connect.js";

/**
 * Returns the first table, index or trigger that the SQL creates and the database lacks or has in another form; null: there is none. What
 * the database has besides, such as an index of its operator, is no difference.
 */
export function findSqliteDifference(sqlite: Sqlite.Database, creation: string): string | null {
  const fresh = connectSqlite(":memory:", {});
  try {
    fresh.exec(creation);
    const found = readSqliteShape(sqlite);
    for (const [object, text] of readSqliteShape(fresh)) if (found.get(object) !== text) return object;
    return null;
  } finally {
    fresh.close();
  }
}

/** Returns the SQL of every table, index and trigger, without what makes no difference. */
export function readSqliteShape(sqlite: Sqlite.Database): ReadonlyMap<string, string> {
  const objects = sqlite.prepare<[], { readonly object: string; readonly sql: string }>(
    "select type || ' ' || name as object, sql from sqlite_master where sql is not null order by type, name",
  );
  return new Map(objects.all().map(({ object, sql }) => [object, normalized(sql)]));
}

/** Column definitions that migrations have added have no line of their own, and renamed tables have quoted names. */
function normalized(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .trim();
}
