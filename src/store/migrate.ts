import type Sqlite from "better-sqlite3";
import {
  differentSchema,
  formerVersion,
  newestVersion,
  pendingMigrations,
  readSchemaSource,
  type SchemaSource,
} from "./schema/source.js";
import { findSqliteDifference } from "./sqlite/shape.js";

/**
 * Brings a database to the newest schema, each step in its own transaction. The version is stored as SQLite's `user_version`. It takes the
 * write lock even when there is nothing to do, so that a read-only database is detected at once.
 * @throws Error when the database is newer than this program, older than its first migration, or has another schema.
 */
export function migrate(sqlite: Sqlite.Database, source: SchemaSource = readSchemaSource("sqlite")): void {
  // Immediate: waits for another process that migrates the same file, and then sees its changes.
  const step = sqlite.transaction(() => {
    const version = readVersion(sqlite);
    const next = takeStep(sqlite, version, source);
    if (next !== version) sqlite.pragma(`user_version = ${next}`);
    return next !== version;
  });
  while (step.immediate());
}

/** Returns the schema version of a database; 0: it has no tables. */
export function readVersion(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma("user_version", { simple: true }));
}

/** Changes the database, if there is something to change. @returns its version then */
function takeStep(sqlite: Sqlite.Database, version: number, source: SchemaSource): number {
  if (version === 0) {
    sqlite.exec(source.creation);
    return newestVersion(source);
  }
  if (version === formerVersion) {
    for (const migration of source.migrations) sqlite.exec(migration);
    const difference = findSqliteDifference(sqlite, source.creation);
    if (difference !== null) throw differentSchema(difference);
    return newestVersion(source);
  }
  const [migration] = pendingMigrations(version, source);
  if (migration === undefined) return version;
  sqlite.exec(migration);
  return version + 1;
}
