import pg from "pg";
import { migrations } from "../migrate.js";
import { rateWindows } from "../migrations/0031-0040/0038-rate-windows.js";
import { requestBodies } from "../migrations/0031-0040/0035-request-bodies.js";
import { usageDays } from "../migrations/0031-0040/0031-usage-days.js";
import { spendLabels } from "../migrations/0031-0040/0032-spend-labels.js";
import { nodes } from "../migrations/0031-0040/0040-nodes.js";
import { rateCounts } from "../migrations/0041-0050/0041-rate-counts.js";
import { balanceUpdates } from "../migrations/0041-0050/0042-balance-updates.js";
import { commitMarks } from "../migrations/0041-0050/0043-commit-marks.js";
import { removedKeys } from "../migrations/0041-0050/0045-removed-keys.js";
import { turns } from "../migrations/0031-0040/0036-turns.js";
import type { Migration } from "../migrations/migration.js";
import type { PostgresAddress } from "./address.js";
import { lockSpace, migrationLock } from "./locks.js";
import { balanceUpdatesOfPostgres } from "./migrations/balance-updates.js";
import { baseline, baselineVersion } from "./migrations/baseline.js";
import { commitMarksOfPostgres } from "./migrations/commit-marks.js";
import { rateWindowsOfPostgres } from "./migrations/rate-windows.js";
import { nodesOfPostgres } from "./migrations/nodes.js";
import { rateCountsOfPostgres } from "./migrations/rate-counts.js";
import { removedKeysOfPostgres } from "./migrations/removed-keys.js";
import { requestBodiesOfPostgres } from "./migrations/request-bodies.js";
import { spendLabelsOfPostgres } from "./migrations/spend-labels.js";
import { translated } from "./migrations/translate.js";
import { turnsOfPostgres } from "./migrations/turns.js";
import { usageDaysOfPostgres } from "./migrations/usage-days.js";
import { clientConfig } from "./pool.js";

/** What was written for PostgreSQL of the migrations that follow the baseline; the others are translated. */
const written: ReadonlyMap<Migration, Migration> = new Map([
  [turns, turnsOfPostgres],
  [requestBodies, requestBodiesOfPostgres],
  [spendLabels, spendLabelsOfPostgres],
  [usageDays, usageDaysOfPostgres],
  [rateWindows, rateWindowsOfPostgres],
  [nodes, nodesOfPostgres],
  [rateCounts, rateCountsOfPostgres],
  [balanceUpdates, balanceUpdatesOfPostgres],
  [commitMarks, commitMarksOfPostgres],
  [removedKeys, removedKeysOfPostgres],
]);

/** What follows the baseline, in order; each has the number of SQLite's migration of the same change. */
const later: readonly Migration[] = migrations
  .slice(baselineVersion)
  .map((migration) => written.get(migration) ?? translated(migration));

/** The newest version of the schema, which is that of SQLite, too. */
export const postgresVersion = baselineVersion + later.length;

/**
 * Migrates a database to the newest version, each step in its own transaction. Another process that migrates the same database is
 * waited for.
 * @throws Error when the database is newer than this program, or data is being moved into it.
 */
export async function migratePostgres(address: PostgresAddress): Promise<void> {
  await withMigrationLock(address, async (client) => {
    await createVersion(client);
    await refuseUnfinishedMove(client);
    await migrateWith(client);
  });
}

/** Calls `action` with a connection that holds the lock of migrations, and whose statements may take long. */
export async function withMigrationLock<Result>(
  address: PostgresAddress,
  action: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const unlimited = { statement_timeout: 0, lock_timeout: 0, query_timeout: 0 };
  const client = new pg.Client({ ...clientConfig(address), ...unlimited });
  // A query that is running reports the error.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1, $2)", [lockSpace, migrationLock]);
    return await action(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The same as `migratePostgres`, on a connection that holds the lock. */
export async function migrateWith(client: pg.Client): Promise<void> {
  const version = await versionOf(client);
  if (version > postgresVersion) throw newer(version);
  if (version === 0) await step(client, baseline, baselineVersion);
  for (const [index, migration] of later.entries())
    if (baselineVersion + index >= version) await step(client, migration, baselineVersion + index + 1);
}

/** Creates what remembers the version; a new database has version 0. */
export async function createVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly found: string | null }>(
    "select cast(to_regclass('schema_version') as text) as found",
  );
  if (rows[0]?.found !== null) return;
  await transact(client, async () => {
    await client.query("create table schema_version (version bigint not null)");
    await client.query("insert into schema_version values (0)");
  });
}

export async function versionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly version: number }>("select version from schema_version");
  return rows[0]?.version ?? 0;
}

async function step(client: pg.Client, migration: Migration, version: number): Promise<void> {
  await transact(client, async () => {
    for (const statement of migration) await client.query(statement);
    await client.query("update schema_version set version = $1", [version]);
  });
}

export async function transact(client: pg.Client, action: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await action();
    await client.query("commit");
  } catch (thrown) {
    await client.query("rollback").catch(() => undefined);
    throw thrown;
  }
}

/** `hearth migrate` creates this table, and removes it once everything is there. */
async function refuseUnfinishedMove(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly found: string | null }>(
    "select cast(to_regclass('data_move') as text) as found",
  );
  if (rows[0]?.found !== null)
    throw new Error("`hearth migrate` was interrupted while it moved data into it: run it again");
}

function newer(version: number): Error {
  return new Error(
    `it was written by a newer version of Hearth (schema ${version}; this one knows ${postgresVersion}): upgrade Hearth`,
  );
}
