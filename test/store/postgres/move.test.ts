import { join } from "node:path";
import type { Socket } from "node:net";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  creditTransaction,
  reserveTransaction,
  settleTransaction,
} from "../../../src/accounts/money/ledger.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { moveDatabase } from "../../../src/app/database/move.js";
import { loadConfig, type Config } from "../../../src/config.js";
import type { Progress } from "../../../src/core/report/progress.js";
import { createResponseStore } from "../../../src/inference/responses/store/responses.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createJobStore } from "../../../src/jobs/store.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { moveToPostgres } from "../../../src/store/postgres/move/move.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock } from "../../../src/system.js";
import { aKey } from "../../accounts/a-key.js";
import { newPostgresUrl, openBeside, openServer } from "../../postgres/databases.js";
import {
  aJob,
  aMember,
  anAuditEvent,
  anEnding,
  aResponse,
  aRun,
  aTeam,
  someItems,
  temporaryFolder,
} from "../records.js";

const prices = {
  promptTextTokenTicks: 10,
  cachedPromptTextTokenTicks: 1,
  completionTextTokenTicks: 5,
};
/** A sum that JavaScript would round. */
const beyondSafe = 9_007_199_254_740_993n;

/** Writes something into most tables of a SQLite database. */
async function fill(file: string, runCount: number): Promise<void> {
  const database = await openDatabase(file);
  const { teams, keys, members, audit, ledger } = buildAccountStores(database);
  const [runs, jobs] = [createRunStore(database), createJobStore(database)];
  const [responses, writes] = [createResponseStore(database), createWrites(database)];
  await teams.insert(aTeam({ billing: "prepaid" }));
  await keys.insert(aKey({ name: "laptop \u{1f600}" }));
  await writes.commit([
    members.insertion(aMember()),
    audit.insertion(anAuditEvent()),
    jobs.insertion(aJob()),
  ]);
  await writes.commit(responses.insertion(aResponse(), someItems("in"), []));
  const events = new Uint8Array([0, 255, 128]);
  await writes.commit(responses.ending("resp-1", anEnding({ output: someItems("out"), events })));
  await ledger.post(creditTransaction("purchase", { teamId: "team-1", ticks: 5000, note: "paid" }, 1000));
  for (let index = 0; index < runCount; index += 1) {
    const run = { id: `run-${index}`, teamId: "team-1" };
    const reserve = reserveTransaction(run, 100, 5000);
    await runs.insert(
      aRun({
        ...run,
        prices,
        reservedTicks: 100,
        budgeted: { userId: "user-1", bound: { ticks: 100, tokens: 20 } },
      }),
      reserve === null ? [] : ledger.posting(reserve),
    );
    const settled = settleTransaction(run, { reservedTicks: 100, chargeTicks: 1 }, 6000);
    const usage = {
      promptTokens: 1,
      cachedTokens: 1,
      imageTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
    };
    await runs.finish(
      run.id,
      { state: "completed", usage, costTicks: 1, endTime: 6000 },
      settled === null ? [] : ledger.posting(settled),
    );
  }
  await database.close();
  const sqlite = new Sqlite(file);
  sqlite
    .prepare(
      "insert into deleted_runs select 'team-1', 3600000, 'm', 'm', 'k', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, 0",
    )
    .run(beyondSafe);
  sqlite.close();
}

/** More rows than are copied at once. */
const manyRuns = 2500;

async function world(
  runCount = 1,
): Promise<{ readonly config: Config; readonly file: string; readonly url: string }> {
  const data = temporaryFolder();
  const url = await newPostgresUrl();
  const { config } = loadConfig({ HEARTH_DATA: data, HEARTH_DATABASE_URL: url });
  const file = join(data, "hearth.db");
  await fill(file, runCount);
  return { config, file, url };
}

/** Returns every row of every table as text. */
async function rowsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const { kysely, dialect } = database;
  const { rows: tables } = await sql<{ name: string }>`${
    dialect.name === "sqlite"
      ? sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
      : sql`select table_name as name from information_schema.tables where table_schema = 'public'`
  }`.execute(kysely);
  const found: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    if (["write_probes", "schema_version", "rate_windows", "rate_entries", "commit_marks"].includes(name))
      continue;
    const columns = await columnsOf(database, name);
    const texts = columns.map(
      (column) => sql`coalesce(cast(${hexOf(database, name, column)} as text), 'null')`,
    );
    const { rows } = await sql<{
      row: string;
    }>`select ${sql.join(texts, sql` || ',' || `)} as row from ${sql.table(name)}`.execute(kysely);
    found[name] = rows.map(({ row }) => row).sort();
  }
  return found;
}

const blobs = ["hash", "previous_hash", "events"];

function hexOf({ dialect }: Database, table: string, column: string) {
  const isBlob = blobs.includes(column) && table !== "batches";
  if (!isBlob) return sql.ref(column);
  return dialect.name === "sqlite"
    ? sql`case when ${sql.ref(column)} is not null then lower(hex(${sql.ref(column)})) end`
    : sql`encode(${sql.ref(column)}, 'hex')`;
}

async function columnsOf({ kysely, dialect }: Database, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`${
    dialect.name === "sqlite"
      ? sql`select name from pragma_table_info(${table})`
      : sql`select column_name as name from information_schema.columns where table_name = ${table}`
  }`.execute(kysely);
  return rows.map(({ name }) => name).sort();
}

async function closing<Result>(
  database: Database,
  action: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await action(database);
  } finally {
    await database.close();
  }
}

describe("a move from SQLite to PostgreSQL", () => {
  it("takes every row, keeps the books, and new rows get new ids", async () => {
    const { config, file, url } = await world(manyRuns);
    const progress: Progress[] = [];
    const report = await moveDatabase(config, (step) => void progress.push(step));
    expect(report.tables.find(({ name }) => name === "ledger_transactions")).toEqual({
      name: "ledger_transactions",
      rows: 5001,
    });
    expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total);
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    for (const [table, rows] of Object.entries(before)) expect([table, after[table]]).toEqual([table, rows]);
    const server = await openServer(url);
    onTestFinished(() => server.close());
    const { ledger } = buildAccountStores(server);
    await ledger.post(creditTransaction("purchase", { teamId: "team-1", ticks: 7, note: null }, 7000));
    expect(await ledger.balancesOf("team-1")).toMatchObject({ credit: 2507n, revenue: 2500n });
    expect(await ledger.verify()).toEqual([]);
  });

  it("goes on after a break, before which no server starts on that database", async () => {
    const { config, file, url } = await world(manyRuns);
    const interrupt = (): void => {
      throw new Error("interrupted");
    };
    const move = (onProgress: (step: Progress) => void) =>
      moveToPostgres({ file, url, clock: systemClock, onProgress, verify: () => Promise.resolve() });
    await expect(
      move(({ phase, done }) => {
        if (phase === "copying ledger_entries" && done > 2000) interrupt();
      }),
    ).rejects.toThrow(/interrupted$/);
    await expect(openBeside(url)).rejects.toThrow(
      "`hearth migrate` was interrupted while it moved data into it",
    );
    await moveDatabase(config, () => undefined);
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(after).toEqual(before);
  });

  it("M10: killed at any statement, leaves a database that no server starts on, or an empty one, and goes on", async () => {
    const { config, file, url } = await world();
    const ask = async (text: string): Promise<number> => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(text);
      await client.end();
      return rows.length;
    };
    // The databases of tests have the schema already.
    for (const text of ["drop schema public cascade", "create schema public"]) await ask(text);
    // It is applied to the client that it is called on.
    // oxlint-disable-next-line typescript/unbound-method
    const { query } = pg.Client.prototype;
    onTestFinished(() => void (pg.Client.prototype.query = query));
    const seen: string[] = [];
    let left = 0;
    const counted = function (this: pg.Client, ...given: unknown[]): unknown {
      left -= 1;
      if (left === 0) {
        // As the end of the process does: what was not committed is gone.
        (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
        return Promise.reject(new Error("killed"));
      }
      return Reflect.apply(query, this, given);
    };
    const killedAt = async (statement: number): Promise<boolean> => {
      left = statement;
      pg.Client.prototype.query = counted as typeof query;
      try {
        await moveToPostgres({
          file,
          url,
          clock: systemClock,
          onProgress: () => undefined,
          verify: () => Promise.resolve(),
        });
        return false;
      } catch (thrown) {
        expect(String(thrown)).toMatch(/killed|terminated/i);
        return true;
      } finally {
        pg.Client.prototype.query = query;
      }
    };
    let statement = 1;
    while (await killedAt(statement)) {
      const tables = await ask(
        "select table_name from information_schema.tables where table_schema = 'public'",
      );
      seen.push(tables === 0 ? "empty" : "marked");
      if (tables > 0) await expect(openBeside(url)).rejects.toThrow("`hearth migrate` was interrupted");
      // Every statement of the first second, then ever fewer.
      statement += Math.max(1, Math.floor(statement / 12));
    }
    expect(new Set(seen)).toEqual(new Set(["empty", "marked"]));
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(after).toEqual(before);
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(/it has data already/);
  });

  it("refuses a database that has data of another server, and one into which another one was being moved", async () => {
    const { config, url } = await world();
    const other = await openBeside(url);
    await buildAccountStores(other).teams.insert(aTeam({ id: "another team" }));
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(/it has data already/);
    await sql`delete from teams`.execute(other.kysely);
    await sql`create table data_move (part text primary key, id text)`.execute(other.kysely);
    await sql`insert into data_move values ('source', 'another')`.execute(other.kysely);
    await other.close();
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(
      /another SQLite database was being moved/,
    );
  });

  it("refuses a database that a server uses, and names that server, not one of another database beside it", async () => {
    const { config, url } = await world();
    for (const used of [await newPostgresUrl(), await newPostgresUrl(), url]) {
      const server = await openServer(used);
      onTestFinished(() => server.close());
    }
    const beside = await openBeside(url);
    onTestFinished(() => beside.close());
    const { rows } = await sql<{ readonly since: string }>`select cast(backend_start as text) as since
      from pg_stat_activity where datname = current_database()`.execute(beside.kysely);
    const refusal = await moveDatabase(config, () => undefined).then(() => "moved", String);
    expect(refusal).toMatch(/another Hearth server \(from .*\) uses this database/);
    expect(rows.map(({ since }) => since)).toContain(/since (.*)\)/.exec(refusal)?.[1]);
  });
});
