/** How SQLite goes about what a store asks of it. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { onTestFinished } from "vitest";
import { createCommit } from "../../src/store/commit.js";
import { openDatabase, type Database } from "../../src/store/database.js";
import type { Schema } from "../../src/store/schema.js";
import { temporaryFolder } from "./records.js";

/** A migrated, empty database that writes down how SQLite goes about every statement. */
export async function watched(): Promise<{ database: Database; seen: readonly string[] }> {
  const file = join(temporaryFolder(), "hearth.db");
  await (await openDatabase(file)).close();
  const sqlite = new Sqlite(file);
  onTestFinished(() => void sqlite.close());
  const seen: string[] = [];
  const statements = {
    prepare: (text: string) => {
      seen.push(...stepsOf(sqlite, text));
      return sqlite.prepare<readonly unknown[]>(text);
    },
    close: () => void sqlite.close(),
  };
  const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) });
  const commit = createCommit(sqlite, statements);
  return {
    database: { kysely, commit, answers: () => Promise.resolve(true), close: () => kysely.destroy() },
    seen,
  };
}

function stepsOf(sqlite: Sqlite.Database, text: string): readonly string[] {
  const plan = sqlite.prepare<readonly unknown[], { detail: string }>(`explain query plan ${text}`);
  // No statement has a question mark that is not a parameter's place.
  const nulls = Array.from({ length: text.split("?").length - 1 }, () => null);
  return plan
    .all(nulls)
    .map(({ detail }) => detail)
    .filter((detail) => !/SUBQUERY \d+$|^CO-ROUTINE|^SETUP$|^RECURSIVE STEP$/.test(detail))
    .map((detail) =>
      detail.replace(/^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+ \(.*\))(?: LEFT-JOIN)?$/, "$1 by $2"),
    );
}
