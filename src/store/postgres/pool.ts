/**
 * The connections to a PostgreSQL database. Statements are prepared once on each connection; their time is limited, also when the
 * network is cut, and errors of an unusable database become `overloaded`.
 */
import { createHash } from "node:crypto";
import { Socket } from "node:net";
import pg from "pg";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import { createRowReader, toStored, type RowReader } from "../rows.js";
import { toUnavailable } from "../dialect/database-error.js";
import { canBeRepeated } from "../dialect/postgres-errors.js";
import type { WriteGuard } from "../write-guard.js";
import type { PostgresAddress } from "./address.js";

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const lockTimeoutMs = 5_000;
/** As long as the lock of a server outlives it: the rows that its open transactions hold are free then, too. */
const idleTransactionTimeoutMs = 10_000;
/** Longer than the server's own limit: it ends a statement whose connection is dead. */
const answerTimeoutMs = 35_000;
/** Statements that are prepared; more than the program has, but for lists of unusual lengths. */
const preparedMax = 1_000;
/** How often a statement or a transaction is attempted that others have kept from being serialized. */
export const attemptsMax = 10;

interface PoolOptions {
  readonly address: PostgresAddress;
  readonly connectionsMax: number;
  /** The number of the server whose connections these are; null: of a command. */
  readonly node: number | null;
}

/** What the database calls the connections of a server. */
export function applicationName(node: number): string {
  return `hearth ${node}`;
}

/** Opens a pool; it connects with the first statement. */
export function createPool({ address, connectionsMax, node }: PoolOptions) {
  const sockets = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const pool = new pg.Pool({ ...clientConfig(address), max: connectionsMax, stream });
  // A connection that is lost while no statement uses it; the next one opens another.
  pool.on("error", () => undefined);
  // The statement that is running reports the error; the client emits it, too.
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    // Before what the connection was opened for; when it fails, that fails, too.
    if (node === null) return;
    const settings = `set hearth.node = ${node}; set application_name = '${applicationName(node)}'`;
    client.query(settings).catch(() => undefined);
  });
  return {
    pool,
    /**
     * Resets every connection at once: for a network that lets nothing through, where what waits for an answer would wait for
     * `answerTimeoutMs`. Where only the answers are lost, the database ends its side, too; an orderly end would not be sent before what was
     * sent last is confirmed. The next statements connect anew.
     */
    abandon: (): void => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

/** The settings of every connection. */
export function clientConfig({ connectionString, ssl }: PostgresAddress): pg.ClientConfig {
  return {
    connectionString,
    ssl,
    application_name: "hearth",
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    types: exactTypes,
  };
}

const names = new Map<string, string>();

/** Returns the name under which a statement is prepared; undefined when there are too many. */
export function nameStatement(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < preparedMax) {
    name = createHash("sha256").update(text).digest("base64url").slice(0, 32);
    names.set(text, name);
  }
  return name;
}

/** Returns a statement that each connection parses and plans once. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = nameStatement(text);
  return { text, values: [...toStored(values)], name };
}

/** Returns the pool as kysely uses it. */
export function createKyselyPool(pool: pg.Pool, guard: WriteGuard): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((thrown: unknown) => {
        throw toUnavailable(thrown);
      });
      return kyselyClient(client, guard);
    },
    end: () => pool.end(),
  };
}

/** Returns the pool with at most `connectionsMax` of its connections in use at once; who asks for more waits in order. */
export function limitConnections(pool: PostgresPool, connectionsMax: number): PostgresPool {
  const waiting: (() => void)[] = [];
  let used = 0;
  // Who waits takes the place of who is done, before anybody else.
  const free = (): void => {
    const next = waiting.shift();
    if (next === undefined) used -= 1;
    else next();
  };
  return {
    async connect() {
      if (used < connectionsMax) used += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        const client = await pool.connect();
        const release = (): void => {
          client.release();
          free();
        };
        return { ...client, release };
      } catch (thrown) {
        free();
        throw thrown;
      }
    },
    // The pool owns the connections, and ends them.
    end: () => Promise.resolve(),
  };
}

/** What makes the rows of statements, by their text. */
const readers = new Map<string, RowReader>();

function readerFor(text: string, { fields }: pg.QueryResult): RowReader {
  let reader = readers.get(text);
  if (reader === undefined) {
    reader = createRowReader(fields.map(({ name }) => name));
    if (readers.size < preparedMax) readers.set(text, reader);
  }
  return reader;
}

const isWrite = /^\s*(insert|update|delete|merge)\b/i;

function kyselyClient(client: pg.PoolClient, { guardAsync }: WriteGuard): PostgresPoolClient {
  let inTransaction = false;
  let isBroken = false;
  const query = async (text: string, values: readonly unknown[] = []) => {
    try {
      const attempts = inTransaction ? 1 : attemptsMax;
      const result = await repeated(attempts, () =>
        client.query({ ...prepared(text, values), rowMode: "array" }),
      );
      if (/^(begin|start transaction)/.test(text)) inTransaction = true;
      else if (/^(commit|rollback)$/.test(text)) inTransaction = false;
      const { command, rowCount, rows } = result;
      return { command, rowCount, rows: rows.map(readerFor(text, result)) };
    } catch (thrown) {
      const error = toUnavailable(thrown);
      isBroken ||= error !== thrown;
      throw error;
    }
  };
  const guarded = (text: string, values?: readonly unknown[]) =>
    isWrite.test(text) && !inTransaction ? guardAsync(() => query(text, values), false) : query(text, values);
  return {
    // kysely reads no cursors without one in its settings.
    query: guarded as unknown as PostgresPoolClient["query"],
    // A connection in an unknown state is not used again.
    release: () => client.release(isBroken || inTransaction),
  };
}

/** Repeats what failed only because it could not be serialized with others; each of the others has made progress then. */
export async function repeated<Result>(attempts: number, action: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (thrown) {
      if (attempt >= attempts || !canBeRepeated(thrown)) throw thrown;
    }
  }
}

/** Types of PostgreSQL by their number: 8-byte integers, and the sums of them. */
const [int8, numeric] = [20, 1700];

/**
 * The types of a connection whose integers are exact: JavaScript's numbers, as they come from SQLite. What exceeds them is read as
 * text by the queries that expect it.
 */
const exactTypes: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: "text" | "binary"): (value: string) => unknown {
    if (type === int8 || type === numeric) return exactNumber;
    return pg.types.getTypeParser(type, format) as (value: string) => unknown;
  },
};

/** @throws RangeError for a number that JavaScript would round. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the database returned ${text}, which is no exact number`);
  return value;
}
