import { expect, it, describe } from "vitest";
import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { verifyLedger } from "../../../src/accounts/money/store/verify-ledger.js";
import { openDatabase } from "../../../src/store/database.js";
import { connectSqlite } from "../../../src/store/sqlite/connect.js";
import { nestedScansOf } from "../../store/nested-scans.js";
import { temporaryFolder } from "../../store/records.js";

/** Returns the statements of a verification, and a connection to the database. */
async function statementsOfVerification() {
  const file = join(temporaryFolder(), "hearth.db");
  const statements: string[] = [];
  const connect = (path: string, options: Sqlite.Options): Sqlite.Database => {
    const sqlite = connectSqlite(path, options);
    const prepare = sqlite.prepare.bind(sqlite);
    const noted = (text: string) => {
      statements.push(text);
      return prepare(text);
    };
    sqlite.prepare = noted as typeof sqlite.prepare;
    return sqlite;
  };
  const database = await openDatabase(file, { connect });
  statements.length = 0;
  const steps: number[] = [];
  await verifyLedger(database, ({ done }) => void steps.push(done));
  await database.close();
  return { file, statements, steps };
}

describe("F25: a verification of the ledger", () => {
  it("reads each table a fixed number of times: no check reads a table once for each row of another", async () => {
    const { file, statements, steps } = await statementsOfVerification();
    expect(statements.length).toBeGreaterThan(15);
    expect(steps).toEqual(Array.from({ length: statements.length + 1 }, (_, index) => index));
    const sqlite = new Sqlite(file);
    try {
      for (const text of statements) expect([text, nestedScansOf(sqlite, text)]).toEqual([text, []]);
    } finally {
      sqlite.close();
    }
  });

  it("finds a full join of two sums, which reads one of them for each row of the other", () => {
    const sqlite = new Sqlite(":memory:");
    sqlite.exec("create table one (a, b); create table other (a, b)");
    const sums = (table: string) => `(select a, sum(b) as b from ${table} group by a)`;
    const text = `select 1 from ${sums("one")} as x full join ${sums("other")} as y using (a)`;
    expect(nestedScansOf(sqlite, text)).not.toEqual([]);
    expect(nestedScansOf(sqlite, "select (select 1 from other where other.a = one.a) from one")).not.toEqual(
      [],
    );
    sqlite.close();
  });
});
