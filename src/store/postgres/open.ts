/** Opens and migrates a PostgreSQL database. Queries are in files called store.ts or in folders called store/. */
import { PostgresDialect, sql, type Kysely } from "kysely";
import { noBroadcast } from "../../core/broadcast.js";
import type { Clock } from "../../core/clock.js";
import { createKysely } from "../kysely.js";
import type { Database } from "../database.js";
import { postgresDialect } from "../dialect/postgres.js";
import { explainFailure } from "../../system/file-errors.js";
import { createOnlyNode, type NodeStore } from "../nodes.js";
import type { Schema } from "../tables.js";
import { createWriteGuard } from "../write-guard.js";
import { parsePostgresUrl, type PostgresAddress } from "./address.js";
import { connectBroadcast, type ConnectedBroadcast } from "./broadcast.js";
import { createPostgresCommit } from "./commit.js";
import { migratePostgres } from "./migrate.js";
import { createNodeStore, runningNodes } from "./node-store.js";
import type { NodeIdentity } from "./nodes.js";
import { createKyselyPool, createPool, limitConnections } from "./pool.js";
import { takeServerLock, type ServerLock } from "./server-lock.js";

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
