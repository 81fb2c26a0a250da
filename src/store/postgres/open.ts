/** Opens and migrates a PostgreSQL database. Queries are in files called store.ts or in folders called store/. */
import { Kysely, PostgresDialect, sql } from "kysely";
import { noBroadcast } from "../../core/servers/broadcast.js";
import type { Clock } from "../../core/clock.js";
import type { Database } from "../database.js";
import { postgresDialect } from "../dialect/postgres.js";
import { reasonOf } from "../failure.js";
import type { Schema } from "../schema.js";
import { createWriteGuard } from "../write-guard.js";
import { parsePostgresUrl, type PostgresAddress } from "./address.js";
import { connectBroadcast, type ConnectedBroadcast } from "./broadcast.js";
import { createPostgresCommit } from "./commit.js";
import { migratePostgres } from "./migrate.js";
import { createKyselyPool, createPool } from "./pool.js";
import { takeServerLock, type ServerLock } from "./server-lock.js";

export interface PostgresOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly clock: Clock;
  /** Whether this is the server, which keeps other servers out; a command works beside it. */
  readonly isServer: boolean;
}

/**
 * Opens the database and migrates it to the newest schema.
 * @throws Error with one sentence that names the database, without its password, and the reason.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const address = parsed(options.url);
  let lock: ServerLock | null = null;
  try {
    // Before the migration, which a running server of an older version would not expect.
    if (options.isServer) lock = await takeServerLock(address, options.clock);
    await migratePostgres(address);
    const broadcast = options.isServer ? await connectBroadcast(address, options.clock) : null;
    return build(address, options, lock, broadcast);
  } catch (thrown) {
    await lock?.release();
    throw new Error(`cannot use the database ${address.shown}: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

/** Opens a database while data is moved into it: its schema is the newest, and no server uses it. */
export function openMoved(url: string, clock: Clock): Database {
  return build(parsed(url), { url, connectionsMax: 2, clock, isServer: false }, null, null);
}

function parsed(url: string): PostgresAddress {
  try {
    return parsePostgresUrl(url);
  } catch (thrown) {
    throw new Error(`databaseUrl: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function build(
  address: PostgresAddress,
  options: PostgresOptions,
  lock: ServerLock | null,
  broadcast: ConnectedBroadcast | null,
): Database {
  const guard = createWriteGuard(lock?.lost ?? (() => null));
  const pool = createPool({ address, connectionsMax: options.connectionsMax });
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: createKyselyPool(pool, guard) }),
  });
  return {
    kysely,
    dialect: postgresDialect,
    commit: createPostgresCommit(pool, guard, options.clock),
    guard,
    broadcast: broadcast ?? noBroadcast,
    // The database reuses the space of deleted rows by itself.
    onDeletion: () => undefined,
    erase: () => undefined,
    isReachable: () => isReachable(kysely),
    async close() {
      await broadcast?.close();
      await kysely.destroy();
      if (!pool.ended) await pool.end();
      await lock?.release();
    },
  };
}

async function isReachable(kysely: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select 1 from teams limit 1`.execute(kysely);
    return true;
  } catch {
    return false;
  }
}
