import pg from "pg";
import {
  differentSchema,
  formerVersion,
  newestVersion,
  pendingMigrations,
  readSchemaSource,
  type SchemaSource,
} from "../schema/source.js";
import type { PostgresAddress } from "./address.js";
import { lockSpace, migrationLock } from "./locks.js";
import { clientConfig } from "./pool.js";
import { findPostgresDifference } from "./shape.js";

/**
 * Brings a database to the newest schema, each step in its own transaction. Another process that migrates the same database is waited for.
 * @throws Error when the database is newer than this program, older than its first migration or has another schema, or data is being moved
 * into it.
 */
export async function migratePostgres(address: PostgresAddress, source?: SchemaSource): Promise<void> {
  await withMigrationLock(address, async (client) => {
    await createVersion(client);
    await refuseUnfinishedMove(client);
    await migrateWith(client, source);
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
export async function migrateWith(client: pg.Client, source = readSchemaSource("postgres")): Promise<void> {
  let version = await readPostgresVersion(client);
  if (version === 0) return step(client, source.creation, newestVersion(source));
  if (version === formerVersion) return acceptFormer(client, source);
  for (const migration of pendingMigrations(version, source)) await step(client, migration, ++version);
}

/** Takes a database of `formerVersion` to the newest one, if it then has the schema of a new one. */
async function acceptFormer(client: pg.Client, source: SchemaSource): Promise<void> {
  await transact(client, async () => {
    for (const migration of source.migrations) await client.query(migration);
    const difference = await findPostgresDifference(client, source.creation);
    if (difference !== null) throw differentSchema(difference);
    await client.query("update schema_version set version = $1", [newestVersion(source)]);
  });
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

export async function readPostgresVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly version: number }>("select version from schema_version");
  return rows[0]?.version ?? 0;
}

async function step(client: pg.Client, statements: string, version: number): Promise<void> {
  await transact(client, async () => {
    await client.query(statements);
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
