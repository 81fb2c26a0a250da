/**
 * The marks of transactions. A transaction is sent with its commit; when the connection is lost before the answer, nobody has heard whether
 * it was committed. So each transaction writes its number into the row of its connection, and where the answer is missing, that row says it
 * once the database's own process of the lost connection has ended.
 */
import type pg from "pg";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { BatchStatement } from "./batch.js";

/** The number of a transaction on its connection. */
export interface Mark {
  readonly connection: Connection;
  readonly number: number;
}

/** The database's process of a connection: never two have the same number and beginning. */
interface Connection {
  readonly pid: number;
  readonly since: string;
}

/** How often, and for how long, the database is asked whether a transaction was committed. */
const doubtRetryMs = 250;
const doubtMsMax = 5_000;

/** The last mark on each connection of this process. */
const lastMarks = new WeakMap<object, Mark>();

/** Returns the mark of the connection's next transaction. The first one needs a query. */
export async function nextMark(client: pg.PoolClient): Promise<Mark> {
  const { connection, number } = lastMarks.get(client) ?? {
    connection: await readConnection(client),
    number: 0,
  };
  const next = { connection, number: number + 1 };
  lastMarks.set(client, next);
  return next;
}

/** Returns the statement by which a transaction leaves its mark. */
export function marking({ connection, number }: Mark): BatchStatement {
  return {
    sql: `insert into commit_marks (connection, mark, time) values ($1, $2, now())
      on conflict (connection) do update set mark = excluded.mark, time = excluded.time`,
    parameters: [toKey(connection), number],
  };
}

/** Removes the marks of connections that have written nothing for a day: nobody asks for them any more. */
export async function removeOldMarks(client: pg.Client): Promise<void> {
  await client.query("delete from commit_marks where time < now() - interval '1 day'");
}

/**
 * Finds out whether a transaction was committed whose connection was lost. Its process is ended first, so that it cannot commit later.
 * @throws HearthError `overloaded` when the database does not say it in time.
 */
export async function wasCommitted(pool: pg.Pool, clock: Clock, mark: Mark): Promise<boolean> {
  // An attempt to connect to a database that has fallen silent takes as long.
  for (const until = clock.monotonic() + doubtMsMax; clock.monotonic() <= until;) {
    const answer = await isCommitted(pool, mark).catch(() => null);
    if (answer !== null) return answer;
    await new Promise<void>((resolve) => void clock.after(doubtRetryMs, resolve));
  }
  throw new HearthError("overloaded", "The server cannot use its database. Please try again later.", {
    retryAfterSeconds: 5,
    cause: new Error(
      `it is not known whether transaction ${mark.number} of the connection ${toKey(mark.connection)} was committed`,
    ),
  });
}

/** Returns null while the process of the connection has not ended. */
async function isCommitted(pool: pg.Pool, { connection, number }: Mark): Promise<boolean | null> {
  const { pid, since } = connection;
  const ending =
    "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start = cast($2 as timestamptz)";
  if ((await pool.query(ending, [pid, since])).rows.length > 0) return null;
  // Not in the same statement, which may see the table as it was before the process ended.
  const text = "select mark from commit_marks where connection = $1";
  const { rows } = await pool.query<{ readonly mark: number }>(text, [toKey(connection)]);
  return rows[0]?.mark === number;
}

async function readConnection(client: pg.PoolClient): Promise<Connection> {
  const text = `select pid, cast(backend_start as text) as since from pg_stat_activity where pid = pg_backend_pid()`;
  const { rows } = await client.query<Connection>(text);
  const [connection] = rows;
  if (connection === undefined) throw new Error("the database does not name the connection");
  return connection;
}

function toKey({ pid, since }: Connection): string {
  return `${pid} ${since}`;
}
