/** A SQLite database to be moved, and what both databases hold. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import {
  creditTransaction,
  reserveTransaction,
  settleTransaction,
} from "../../../src/accounts/money/ledger.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { loadConfig, type Config } from "../../../src/config/config.js";
import { createResponseStore } from "../../../src/inference/responses/store/responses.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createJobStore } from "../../../src/jobs/store.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { aKey } from "../../kit/a-key.js";
import { newPostgresUrl } from "../../kit/databases/postgres/databases.js";
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
export const manyRuns = 2500;

export async function world(
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
export async function rowsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
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

export async function closing<Result>(
  database: Database,
  action: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await action(database);
  } finally {
    await database.close();
  }
}
