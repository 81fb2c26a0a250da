/** Opens and migrates a PostgreSQL database. Queries are in files called store.ts or in folders called store/. */
import pg from "pg";
import { PostgresDialect, sql, type Kysely } from "kysely";
import { noBroadcast } from "../../core/broadcast.js";
import type { Clock } from "../../core/clock.js";
import { createKysely } from "../kysely.js";
import type { Database } from "../database.js";
import { postgresDialect } from "../dialect/postgres.js";
import { explainFailure, readErrorCode } from "../../system/file-errors.js";
import { createOnlyNode, type NodeStore } from "../nodes.js";
import type { Schema } from "../tables.js";
import { createWriteGuard, type WriteGuard } from "../write-guard.js";
import { parsePostgresUrl, type PostgresAddress } from "./address.js";
import { connectBroadcast, type ConnectedBroadcast } from "./broadcast.js";
import { migratePostgres } from "./migrate.js";
import { createNodeStore, runningNodes } from "./node-store.js";
import type { NodeIdentity } from "./nodes.js";
import { createKyselyPool, createPool, limitConnections, attemptsMax, prepared, repeated } from "./pool.js";
import { takeServerLock, type ServerLock } from "./server-lock.js";
import { conflict, type Commit, type Statement } from "../commit.js";
import { toUnavailable } from "../dialect/database-error.js";
import { canBeBatched, executeBatch, type BatchStatement } from "./batch.js";
import { listLocks, lockSpace } from "./locks.js";
import { marking, nextMark, wasCommitted, type Mark } from "./marks.js";

interface PostgresOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly clock: Clock;
  /** The server that uses the database; null: a command, which works beside servers. */
  readonly server: NodeIdentity | null;
}

/**
 * Opens the database and migrates it to the newest schema.
 * @throws Error with one sentence that names the database, without its password, and the reason.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const address = parsed(options.url);
  let lock: ServerLock | null = null;
  try {
    const { server, clock } = options;
    if (server !== null) lock = await takeServerLock(address, clock, "shared");
    await migratePostgres(address);
    const joined = server === null || lock === null ? null : await join(address, lock, server, clock);
    return build(address, options, joined);
  } catch (thrown) {
    await lock?.release();
    throw new Error(`cannot use the database ${address.shown}: ${explainFailure(thrown)}`, { cause: thrown });
  }
}

/** Opens a database while data is moved into it: its schema is the newest, and no server uses it. */
export function openMoved(url: string, clock: Clock): Database {
  return build(parsed(url), { url, connectionsMax: 2, clock, server: null }, null);
}

function parsed(url: string): PostgresAddress {
  try {
    return parsePostgresUrl(url);
  } catch (thrown) {
    throw new Error(`databaseUrl: ${explainFailure(thrown)}`, { cause: thrown });
  }
}

/** What a server has that a command has not. */
interface Joined {
  readonly lock: ServerLock;
  readonly broadcast: ConnectedBroadcast;
  /** The number of the server. */
  readonly node: number;
}

async function join(
  address: PostgresAddress,
  lock: ServerLock,
  server: NodeIdentity,
  clock: Clock,
): Promise<Joined> {
  return { lock, node: await lock.join(server), broadcast: await connectBroadcast(address, clock) };
}

function build(address: PostgresAddress, options: PostgresOptions, joined: Joined | null): Database {
  const guard = createWriteGuard(joined?.lock.lost ?? (() => null));
  const { connectionsMax } = options;
  const { pool, abandon } = createPool({ address, connectionsMax, node: joined?.node ?? null });
  joined?.lock.whenUnanswered(abandon);
  const connections = createKyselyPool(pool, guard);
  const kysely = createKysely(new PostgresDialect({ pool: connections }));
  const ofReports = limitConnections(connections, Math.max(1, Math.floor(connectionsMax / 4)));
  return {
    kysely,
    reports: createKysely(new PostgresDialect({ pool: ofReports })),
    dialect: postgresDialect,
    commit: createPostgresCommit(pool, guard, options.clock),
    guard,
    broadcast: joined?.broadcast ?? noBroadcast,
    nodes: joined === null ? createCommandNode(kysely) : createNodeStore(kysely, joined.lock, joined.node),
    // The database reuses the space of deleted rows by itself.
    onDeletion: () => undefined,
    erase: () => undefined,
    isReachable: () => isReachable(kysely),
    async close() {
      await joined?.broadcast.close();
      await kysely.destroy();
      if (!pool.ended) await pool.end();
      await joined?.lock.release();
    },
  };
}

/** For a command, which shares the database with servers and does nothing that only one may do. */
function createCommandNode(kysely: Kysely<Schema>): NodeStore {
  return { ...createOnlyNode(), running: () => runningNodes(kysely) };
}

async function isReachable(kysely: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select 1 from teams limit 1`.execute(kysely);
    return true;
  } catch {
    return false;
  }
}

/** Raised by `commit_expect`. */
const unexpectedCount = "HR001";

/**
 * Creates the commit function of a database. A transaction is sent as a whole, its commit included, and repeated while others keep it from
 * being serialized. Where the connection is lost before the answer, the server says afterwards whether it was committed: it is neither
 * lost nor repeated.
 */
function createPostgresCommit(pool: pg.Pool, guard: WriteGuard, clock: Clock): Commit {
  return async (changes, synced) => {
    if (changes.length === 0) return;
    await guard.guardAsync(async () => {
      try {
        await repeated(attemptsMax, () => transact(pool, clock, changes, synced));
      } catch (thrown) {
        throw readErrorCode(thrown) === unexpectedCount ? conflict() : toUnavailable(thrown);
      }
    }, synced);
  };
}

async function transact(
  pool: pg.Pool,
  clock: Clock,
  changes: readonly Statement[],
  synced: boolean,
): Promise<void> {
  const client = await pool.connect();
  const statements = changes.map(counted);
  let mark: Mark | null = null;
  try {
    mark = await nextMark(client);
    const execute = canBeBatched(statements) ? executeBatch : executeOneByOne;
    await execute(client, writeOpening(changes, synced), [...statements, marking(mark)], ["commit"]);
  } catch (thrown) {
    if (mark === null || isRefused(thrown)) {
      await rollBack(client);
      throw thrown;
    }
    client.release(true);
    if (!(await wasCommitted(pool, clock, mark))) throw thrown;
    return;
  }
  client.release();
}

/**
 * Whether the database itself says that the transaction has failed: a connection that it ends may have committed before. A database that
 * reports errors in another language is asked for the mark.
 */
function isRefused(thrown: unknown): boolean {
  return thrown instanceof pg.DatabaseError && thrown.severity === "ERROR";
}

/** Returns a statement that fails when it does not change as many rows as it must. */
function counted({ query: { sql, parameters }, rows }: Statement): BatchStatement {
  if (rows === null) return { sql, parameters };
  return {
    sql: `with changed as (${sql} returning 1) select commit_expect(count(*), ${rows}) from changed`,
    parameters,
  };
}

/** Returns the texts that begin a transaction and take its locks. */
function writeOpening(changes: readonly Statement[], synced: boolean): readonly string[] {
  const locks = listLocks(changes.map(({ table }) => table));
  return [
    "begin",
    ...(synced ? [] : ["set local synchronous_commit = off"]),
    ...locks.map((lock) => `select pg_advisory_xact_lock(${lockSpace}, ${lock})`),
  ];
}

/** The same as `executeBatch`, for values that cannot be written as literals. */
async function executeOneByOne(
  client: pg.PoolClient,
  before: readonly string[],
  statements: readonly BatchStatement[],
  after: readonly string[],
): Promise<void> {
  for (const text of before) await client.query(text);
  for (const { sql, parameters } of statements) await client.query(prepared(sql, parameters));
  for (const text of after) await client.query(text);
}

/** A connection that cannot roll back is closed, which does the same. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch {
    client.release(true);
  }
}
