/** Records the query plans of a store's statements. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { SqliteDialect } from "kysely";
import { onTestFinished } from "vitest";
import { createOnlyNode } from "../../src/store/nodes.js";
import { noBroadcast } from "../../src/core/broadcast.js";
import { createKysely } from "../../src/store/kysely.js";
import { createStatement } from "../../src/store/sqlite/statement.js";
import { createCommit } from "../../src/store/commit.js";
import { openDatabase, type Database } from "../../src/store/database.js";
import { sqliteDialect } from "../../src/store/dialect/sqlite.js";
import { createWriteGuard } from "../../src/store/write-guard.js";
import { temporaryFolder } from "./records.js";

/** Returns a migrated, empty database and the steps of the query plans of all its statements. */
export async function databaseWithQueryPlans(): Promise<{ database: Database; steps: readonly string[] }> {
  const file = join(temporaryFolder(), "hearth.db");
  await (await openDatabase(file)).close();
  const sqlite = new Sqlite(file);
  onTestFinished(() => void sqlite.close());
  const seen: string[] = [];
  const statements = {
    prepare: (text: string) => {
      seen.push(...queryPlanOf(sqlite, text));
      return createStatement(sqlite.prepare<readonly unknown[]>(text));
    },
    close: () => void sqlite.close(),
  };
  const kysely = createKysely(new SqliteDialect({ database: statements }));
  const commit = createCommit(sqlite, statements);
  const guard = createWriteGuard(() => null);
  return {
    database: {
      kysely,
      reports: kysely,
      dialect: sqliteDialect,
      // async: an exception becomes a rejection.
      commit: async (changes, synced) => commit(changes, synced),
      guard,
      broadcast: noBroadcast,
      nodes: createOnlyNode(),
      onDeletion: () => undefined,
      erase: () => undefined,
      isReachable: () => Promise.resolve(true),
      close: () => kysely.destroy(),
    },
    steps: seen,
  };
}

function queryPlanOf(sqlite: Sqlite.Database, text: string): readonly string[] {
  const plan = sqlite.prepare<readonly unknown[], { detail: string }>(`explain query plan ${text}`);
  // Every question mark in these statements is a parameter.
  const nulls = Array.from({ length: text.split("?").length - 1 }, () => null);
  return plan
    .all(nulls)
    .map(({ detail }) => detail)
    .filter((detail) => !/SUBQUERY \d+$|^CO-ROUTINE|^SETUP$|^RECURSIVE STEP$/.test(detail))
    .map((detail) =>
      detail.replace(/^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+ \(.*\))(?: LEFT-JOIN)?$/, "$1 by $2"),
    );
}
