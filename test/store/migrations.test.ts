import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/store/database.js";
import { migrate, readVersion } from "../../src/store/migrate.js";
import { newestVersion, readSchemaSource } from "../../src/store/schema/source.js";
import { readSqliteShape } from "../../src/store/sqlite/shape.js";
import { expectFormerContent, withMigrations, writeFormerDatabase } from "./former-database.js";
import { temporaryFolder } from "./records.js";

function connect(file: string): Sqlite.Database {
  const sqlite = new Sqlite(file);
  onTestFinished(() => void sqlite.close());
  return sqlite;
}

describe("a database of the last build with numbered migrations", () => {
  it("is accepted as it is, once, and everything in it is read", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    writeFormerDatabase(file);
    for (const opening of [1, 2]) {
      const database = await openDatabase(file);
      await expectFormerContent(database);
      await database.close();
      expect([opening, readVersion(connect(file))]).toEqual([
        opening,
        newestVersion(readSchemaSource("sqlite")),
      ]);
    }
  });

  it("has the schema of a new one then, whatever else its operator has added", async () => {
    const [former, fresh] = [join(temporaryFolder(), "hearth.db"), join(temporaryFolder(), "hearth.db")];
    writeFormerDatabase(
      former,
      "create index of_the_operator on runs (error_kind); create table replicas (id text);",
    );
    for (const file of [former, fresh]) await (await openDatabase(file)).close();
    const [migrated, created] = [former, fresh].map((file) =>
      Object.fromEntries(readSqliteShape(connect(file))),
    );
    expect(Object.keys(created ?? {}).length).toBeGreaterThan(100);
    expect(migrated).toMatchObject(created ?? {});
  });

  it.each([
    ["a column", "alter table api_keys add column note text", "table api_keys"],
    ["no index", "drop index runs_failed", "index runs_failed"],
    [
      "another trigger",
      "drop trigger budgets_end; create trigger budgets_end after delete on budgets begin select 1; end",
      "trigger budgets_end",
    ],
  ])("is refused with one sentence when it has been changed: %s", async (_, change, object) => {
    const file = join(temporaryFolder(), "hearth.db");
    writeFormerDatabase(file, change);
    await expect(openDatabase(file)).rejects.toThrow(
      new RegExp(
        `^cannot use the database .*: its schema is not the one that Hearth creates \\(${object} differs\\): start the build of commit [0-9a-f]{12} `,
      ),
    );
    expect(readVersion(connect(file))).toBe(48);
  });
});

it("a database of an earlier build is refused with one sentence that says with which commit to upgrade first", async () => {
  const file = join(temporaryFolder(), "hearth.db");
  writeFormerDatabase(file, "pragma user_version = 26");
  await expect(openDatabase(file)).rejects.toThrow(
    /^cannot use the database .*: it was written by an earlier build of Hearth \(schema 26\): start the build of commit [0-9a-f]{12} with it once, then this one$/,
  );
});

/** Returns the file of a database with rows, of the newest schema. */
async function acceptedDatabase(): Promise<string> {
  const file = join(temporaryFolder(), "hearth.db");
  writeFormerDatabase(file);
  await (await openDatabase(file)).close();
  return file;
}

describe("a migration", () => {
  const first =
    "-- Why it is made.\n-- sqlite\nalter table teams add column note text default 'first';\n-- postgres\nselect no_such_function();\n";
  const second = "-- sqlite\nupdate teams set note = note || ', second';\n-- postgres\n";

  it("is applied once, in the order of the names, with the statements for its database", async () => {
    const file = await acceptedDatabase();
    const source = withMigrations("sqlite", {
      "0002-second.sql": second,
      "0001-first.sql": first,
      "README.md": "",
    });
    const sqlite = connect(file);
    for (const _ of [1, 2]) migrate(sqlite, source);
    expect(sqlite.prepare("select note from teams").pluck().all()).toEqual(["first, second"]);
    expect(readVersion(sqlite)).toBe(newestVersion(source));
  });

  it("that fails leaves nothing of itself, and what was applied before stays", async () => {
    const file = await acceptedDatabase();
    const before = readVersion(connect(file));
    const broken = "-- sqlite\ndelete from jobs; insert into no_such_table values (1);\n";
    const source = withMigrations("sqlite", { "0001-first.sql": first, "0002-broken.sql": broken });
    const sqlite = connect(file);
    expect(() => migrate(sqlite, source)).toThrow(/no_such_table/);
    expect(sqlite.prepare("select note from teams").pluck().all()).toEqual(["first"]);
    expect(sqlite.prepare("select count(*) from jobs").pluck().get()).toBe(1);
    expect(readVersion(sqlite)).toBe(before + 1);
  });

  it("without statements for a database is refused before anything is changed", () => {
    const files = { "0001-first.sql": "alter table teams add column note text;" };
    expect(() => withMigrations("sqlite", files)).toThrow(/0001-first.sql has no line '-- sqlite'/);
  });
});

it("F19: rewrites a database that was created without auto_vacuum once, so that nothing remains of what was deleted before", async () => {
  const marker = "a-team-of-old-that-is-gone";
  const file = join(temporaryFolder(), "hearth.db");
  const insert = `insert into teams (id, name, billing, blocked, create_time) values ('old', '${marker}', 'unmetered', 0, 1);`;
  writeFormerDatabase(file, `${insert} delete from teams where id = 'old';`);
  expect(readFileSync(file).includes(marker)).toBe(true);
  const database = await openDatabase(file);
  const { rows } = await sql<Record<string, unknown>>`pragma auto_vacuum`.execute(database.kysely);
  expect(rows.map((row) => Object.values(row))).toEqual([[2]]);
  await database.close();
  expect(readFileSync(file).includes(marker)).toBe(false);
});
