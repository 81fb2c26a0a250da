import type pg from "pg";
import { HearthError } from "../../core/errors.js";
import type { Clock } from "../../core/clock.js";
import { conflict, type Commit, type Statement } from "../commit.js";
import { toUnavailable } from "../dialect/database-error.js";
import type { WriteGuard } from "../write-guard.js";
import { canBeBatched, executeBatch, type BatchStatement } from "./batch.js";
import { locksOf, lockSpace } from "./locks.js";
import { attemptsMax, prepared, repeated } from "./pool.js";

/** How long, and how often, it is found out whether a transaction was committed whose connection was lost. */
const doubtRetryMs = 250;
const doubtAttemptsMax = 20;

/**
 * Creates the commit function of a database. A transaction is repeated while others keep it from being serialized. Where the
 * connection is lost during the commit itself, the server says afterwards whether it was committed: it is neither lost nor repeated.
 */
export function createPostgresCommit(pool: pg.Pool, guard: WriteGuard, clock: Clock): Commit {
  return async (changes, synced) => {
    if (changes.length === 0) return;
    await guard.guardAsync(async () => {
      try {
        await repeated(attemptsMax, () => transact(pool, clock, changes, synced));
      } catch (thrown) {
        throw toUnavailable(thrown);
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
  let transaction: string;
  try {
    const queries = changes.map(({ query }) => query);
    const execute = canBeBatched(queries) ? executeBatch : executeOneByOne;
    const opening = openingOf(changes, synced);
    const results = await execute(client, opening, queries);
    transaction = idOf(results);
    for (const [index, { rows }] of changes.entries())
      if (rows !== null && results[opening.length + index]?.rowCount !== rows) throw conflict();
  } catch (thrown) {
    await rollBack(client);
    throw thrown;
  }
  try {
    await client.query("commit");
  } catch (thrown) {
    client.release(true);
    if (toUnavailable(thrown) === thrown || !(await wasCommitted(pool, clock, transaction))) throw thrown;
    return;
  }
  client.release();
}

const naming = "select cast(pg_current_xact_id() as text) as id";

/** Returns the texts that begin a transaction, name it and take its locks. */
function openingOf(changes: readonly Statement[], synced: boolean): readonly string[] {
  const locks = locksOf(changes.map(({ table }) => table));
  return [
    "begin",
    naming,
    ...(synced ? [] : ["set local synchronous_commit = off"]),
    ...locks.map((lock) => `select pg_advisory_xact_lock(${lockSpace}, ${lock})`),
  ];
}

/** Returns the id of a transaction from the results of its opening. */
function idOf(results: readonly pg.QueryResult[]): string {
  const { id } = (results[1]?.rows[0] ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error("the database did not name the transaction");
  return id;
}

/** The same as `executeBatch`, for values that cannot be written as literals. */
async function executeOneByOne(
  client: pg.PoolClient,
  texts: readonly string[],
  statements: readonly BatchStatement[],
): Promise<readonly pg.QueryResult[]> {
  const results: pg.QueryResult[] = [];
  for (const text of texts) results.push(await client.query(text));
  for (const { sql, parameters } of statements) results.push(await client.query(prepared(sql, parameters)));
  return results;
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

/** @throws HearthError `overloaded` when the server does not say it in time. */
async function wasCommitted(pool: pg.Pool, clock: Clock, transaction: string): Promise<boolean> {
  for (let attempt = 0; attempt < doubtAttemptsMax; attempt += 1) {
    const status = await statusOf(pool, transaction);
    if (status === "committed") return true;
    if (status === "aborted") return false;
    await new Promise<void>((resolve) => void clock.after(doubtRetryMs, resolve));
  }
  throw new HearthError("overloaded", "The server cannot use its database. Please try again later.", {
    retryAfterSeconds: 5,
    cause: new Error(`it is not known whether transaction ${transaction} was committed`),
  });
}

/** Returns null when the server does not answer, or does not know it yet. */
async function statusOf(pool: pg.Pool, transaction: string): Promise<string | null> {
  try {
    const text = "select pg_xact_status(cast($1 as xid8)) as status";
    const { rows } = await pool.query<{ readonly status: string | null }>(text, [transaction]);
    return rows[0]?.status ?? null;
  } catch {
    return null;
  }
}
