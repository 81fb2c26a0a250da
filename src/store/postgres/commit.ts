import pg from "pg";
import type { Clock } from "../../core/clock.js";
import { conflict, type Commit, type Statement } from "../commit.js";
import { toUnavailable } from "../dialect/database-error.js";
import { readErrorCode } from "../../system/file-errors.js";
import type { WriteGuard } from "../write-guard.js";
import { canBeBatched, executeBatch, type BatchStatement } from "./batch.js";
import { listLocks, lockSpace } from "./locks.js";
import { marking, nextMark, wasCommitted, type Mark } from "./marks.js";
import { attemptsMax, prepared, repeated } from "./pool.js";

/** Raised by `commit_expect`. */
const unexpectedCount = "HR001";

/**
 * Creates the commit function of a database. A transaction is sent as a whole, its commit included, and repeated while others keep it from
 * being serialized. Where the connection is lost before the answer, the server says afterwards whether it was committed: it is neither
 * lost nor repeated.
 */
export function createPostgresCommit(pool: pg.Pool, guard: WriteGuard, clock: Clock): Commit {
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
