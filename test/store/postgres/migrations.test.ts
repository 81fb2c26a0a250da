import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { newestVersion, readSchemaSource } from "../../../src/store/schema/source.js";
import { parsePostgresUrl } from "../../../src/store/postgres/address.js";
import { migratePostgres, readPostgresVersion } from "../../../src/store/postgres/migrate.js";
import { readPostgresShape } from "../../../src/store/postgres/shape.js";
import { newPostgresUrl, openBeside } from "../../kit/databases/postgres/databases.js";
import { expectFormerContent, readFormerDatabase, withMigrations } from "../former-database.js";

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Returns the address of a database of the last build with numbered migrations. @param change SQL that is executed in it afterwards */
async function formerDatabase(change = ""): Promise<string> {
  const url = await newPostgresUrl();
  const client = await connect(url);
  await client.query("drop schema public cascade; create schema public");
  await client.query(`${readFormerDatabase("postgres")} ${change}`);
  return url;
}

describe("a database of the last build with numbered migrations", () => {
  it("is accepted as it is, once, and everything in it is read", async () => {
    const url = await formerDatabase();
    for (const opening of [1, 2]) {
      const database = await openBeside(url);
      await expectFormerContent(database);
      await database.close();
      const version = Number(await readPostgresVersion(await connect(url)));
      expect([opening, version]).toEqual([opening, newestVersion(readSchemaSource("postgres"))]);
    }
  });

  it("has the schema of a new one then, whatever else its operator has added", async () => {
    const former = await formerDatabase(
      "create index of_the_operator on runs (error_kind); create table replicas (id text);",
    );
    await (await openBeside(former)).close();
    const fresh = await readPostgresShape(await connect(await newPostgresUrl()));
    const migrated = await readPostgresShape(await connect(former));
    expect(fresh.size).toBeGreaterThan(500);
    expect(Object.fromEntries(migrated)).toMatchObject(Object.fromEntries(fresh));
  });

  it.each([
    [
      "a column of another type",
      "alter table jobs alter column attempts type integer",
      "column jobs.attempts",
    ],
    [
      "no constraint",
      "alter table teams drop constraint teams_weight_check",
      "constraint of teams: CHECK .*",
    ],
    ["no index", "drop index runs_failed", "index runs_failed"],
    ["no trigger", "drop trigger budgets_end on budgets", "trigger budgets_end of budgets"],
    [
      "another function",
      "create or replace function rate_now() returns bigint language sql volatile return 1",
      "function rate_now\\(\\)",
    ],
  ])("is refused with one sentence when it has been changed: %s", async (_, change, object) => {
    const url = await formerDatabase(change);
    await expect(openBeside(url)).rejects.toThrow(
      new RegExp(
        `^cannot use the database .*: its schema is not the one that Hearth creates \\(${object} differs\\): start the build of commit [0-9a-f]{12} `,
      ),
    );
    const client = await connect(url);
    expect(Number(await readPostgresVersion(client))).toBe(48);
    const { rows } = await client.query("select 1 from pg_namespace where nspname = 'hearth_comparison'");
    expect(rows).toEqual([]);
  });
});

it("a database of an earlier build is refused with one sentence that says with which commit to upgrade first", async () => {
  const url = await formerDatabase("update schema_version set version = 26");
  await expect(openBeside(url)).rejects.toThrow(
    /: it was written by an earlier build of Hearth \(schema 26\): start the build of commit [0-9a-f]{12} with it once, then this one$/,
  );
});

it("a migration is applied once, in the order of the names, and one that fails leaves nothing of itself", async () => {
  const url = await formerDatabase();
  await (await openBeside(url)).close();
  const source = withMigrations("postgres", {
    "0002-second.sql": "-- sqlite\n-- postgres\nupdate teams set note = note || ', second';\n",
    "0001-first.sql":
      "-- sqlite\nselect no_such_function();\n-- postgres\nalter table teams add column note text default 'first';\n",
    "0003-broken.sql": "-- sqlite\n-- postgres\ndelete from jobs; insert into no_such_table values (1);\n",
  });
  const migrate = () => migratePostgres(parsePostgresUrl(url), source);
  for (const _ of [1, 2]) await expect(migrate()).rejects.toThrow(/no_such_table/);
  const client = await connect(url);
  const { rows } = await client.query(
    "select note, (select cast(count(*) as text) from jobs) as jobs from teams",
  );
  expect(rows).toEqual([{ note: "first, second", jobs: "1" }]);
  expect(Number(await readPostgresVersion(client))).toBe(newestVersion(source) - 1);
});
