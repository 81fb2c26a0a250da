/** Moves everything from a SQLite database into an empty PostgreSQL database. */
import type pg from "pg";
import type Sqlite from "better-sqlite3";
import type { Clock } from "../../core/clock.js";
import type { OnProgress } from "../../core/report/progress.js";
import { explainFailure } from "../../system/file-errors.js";
import { parsePostgresUrl } from "./address.js";
import { withMigrationLock, createVersion, migrateWith, transact, readPostgresVersion } from "./migrate.js";
import { takeServerLock } from "./server-lock.js";
import { connectSqlite } from "../sqlite/connect.js";

interface MoveOptions {
  /** The SQLite file, of the newest schema; nothing writes to it meanwhile. */
  readonly file: string;
  readonly url: string;
  readonly clock: Clock;
  /** Reports rows of all tables; the phase names the table. */
  readonly onProgress: OnProgress;
  /** Checks what was moved, before servers may use it. @throws Error to refuse it */
  readonly verify: () => Promise<void>;
}

export interface MoveReport {
  readonly database: string;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/**
 * Moves all rows, table by table; interrupted at any moment, the same call goes on.
 * @throws Error with one sentence that names the database without its password; then no server can use it before a move is complete.
 */
export async function moveToPostgres(options: MoveOptions): Promise<MoveReport> {
  const address = parsePostgresUrl(options.url);
  const source = openMoveSource(options.file);
  try {
    const lock = await takeServerLock(address, options.clock, "alone");
    try {
      await withMigrationLock(address, (client) => moveWith(client, source, options));
    } finally {
      await lock.release();
    }
    return { database: address.shown, tables: source.tables.map(({ name, rows }) => ({ name, rows })) };
  } catch (thrown) {
    throw new Error(`cannot move into ${address.shown}: ${explainFailure(thrown)}`, { cause: thrown });
  } finally {
    source.close();
  }
}

async function moveWith(client: pg.Client, source: MoveSource, options: MoveOptions): Promise<void> {
  await beginMove(client, source.id);
  await switchTriggers(client, source.tables, "disable");
  const total = source.tables.reduce((sum, { rows }) => sum + rows, 0);
  let before = 0;
  for (const table of source.tables) {
    const report = (copied: number): void =>
      options.onProgress({ phase: `copying ${table.name}`, done: before + copied, total, unit: "rows" });
    report(0);
    await copyTable(client, table, () => source.read(table), report);
    const found = await countRows(client, table.name);
    if (found !== table.rows)
      throw new Error(
        `${table.name} has ${found} rows instead of ${table.rows}: the SQLite database has changed since the move began; empty the PostgreSQL database and begin anew`,
      );
    before += table.rows;
  }
  await switchTriggers(client, source.tables, "enable");
  await client.query("analyze");
  await options.verify();
  await endMove(client);
}

// The PostgreSQL database that data is moved into. The table `data_move` names the source, and the tables that are complete, until
// everything is there: while it exists no server starts, and the same move can go on after a break.

/** Parameters of one statement; PostgreSQL takes 65,535. */
const parametersMax = 30_000;

/**
 * Prepares a database that is empty, or into which the same source was being moved. The first transaction marks it as one that is being
 * moved into; its schema follows.
 * @throws Error when it has other data.
 */
async function beginMove(client: pg.Client, sourceId: string): Promise<void> {
  if (await exists(client, "data_move")) {
    const { rows } = await client.query<{ readonly id: string }>(
      "select id from data_move where part = 'source'",
    );
    if (rows[0]?.id !== sourceId) throw new Error("another SQLite database was being moved into it");
  } else {
    if (
      (await exists(client, "schema_version")) &&
      (await readPostgresVersion(client)) > 0 &&
      (await hasData(client))
    )
      throw new Error("it has data already: move into an empty database");
    await transact(client, async () => {
      await client.query("create table data_move (part text primary key, id text)");
      await client.query("insert into data_move values ('source', $1)", [sourceId]);
    });
  }
  await createVersion(client);
  await migrateWith(client);
}

/** Ends a move that is complete: servers may start. */
async function endMove(client: pg.Client): Promise<void> {
  await client.query("drop table data_move");
}

/** Switches the triggers that keep sums, which come from the source, off or on. */
async function switchTriggers(
  client: pg.Client,
  tables: readonly SourceTable[],
  state: "enable" | "disable",
): Promise<void> {
  await transact(client, async () => {
    for (const { name } of tables) await client.query(`alter table ${name} ${state} trigger user`);
  });
}

/**
 * Copies a table; does nothing when that was done. A row that is there already is left as it is.
 * @param read begins to read its rows
 * @param onRows called with the number of rows that were copied so far
 */
async function copyTable(
  client: pg.Client,
  { name, columns }: SourceTable,
  read: () => IterableIterator<readonly unknown[]>,
  onRows: (copied: number) => void,
): Promise<void> {
  const { rowCount } = await client.query("select 1 from data_move where part = $1", [name]);
  if (rowCount === 1) return;
  const rowsMax = Math.floor(parametersMax / columns.length);
  let copied = 0;
  let page: (readonly unknown[])[] = [];
  const flush = async (): Promise<void> => {
    if (page.length === 0) return;
    await client.query(insertion(name, columns, page.length), page.flat().map(storable));
    onRows((copied += page.length));
    page = [];
  };
  for (const row of read()) if (page.push(row) === rowsMax) await flush();
  await flush();
  await continueIds(client, name);
  await client.query("insert into data_move (part) values ($1)", [name]);
}

async function countRows(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ readonly count: number }>(`select count(*) as count from ${table}`);
  return rows[0]?.count ?? 0;
}

function insertion(table: string, columns: readonly string[], rows: number): string {
  let parameter = 0;
  const one = (): string => `(${columns.map(() => `$${++parameter}`).join(", ")})`;
  const values = Array.from({ length: rows }, one).join(", ");
  return `insert into ${table} (${columns.join(", ")}) values ${values} on conflict do nothing`;
}

/** PostgreSQL's text has no character U+0000; the replacement character takes its place. */
function storable(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value;
}

/** New rows get ids beyond those that were copied. */
async function continueIds(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ readonly name: string; readonly sequence: string }>(
    `select column_name as name, pg_get_serial_sequence($1, column_name) as sequence
     from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_identity = 'YES'`,
    [table],
  );
  for (const { name, sequence } of rows)
    await client.query(
      `select setval($1, coalesce((select max(${name}) from ${table}), 1), exists (select 1 from ${table}))`,
      [sequence],
    );
}

async function hasData(client: pg.Client): Promise<boolean> {
  const text = "select exists (select 1 from teams) or exists (select 1 from audit_events) as found";
  const { rows } = await client.query<{ readonly found: boolean }>(text);
  return rows[0]?.found === true;
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const text = "select to_regclass($1) is not null as found";
  const { rows } = await client.query<{ readonly found: boolean }>(text, [table]);
  return rows[0]?.found === true;
}

/** A table to be moved. */
interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** A SQLite database that is only read. */
type MoveSource = ReturnType<typeof openMoveSource>;

/** Tables that hold nothing to keep. */
const leftOut = new Set(["write_probes"]);

/** Opens a database of the newest schema. */
function openMoveSource(file: string) {
  const sqlite = connectSqlite(file, { fileMustExist: true });
  const names = sqlite
    .prepare<[], string>("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all()
    .filter((name) => !leftOut.has(name));
  return {
    /** Identifies its content: the first entry of its audit log. */
    id: readId(sqlite),
    /** Those that others refer to come first. */
    tables: inOrder(sqlite, names).map((name) => ({
      name,
      columns: listColumns(sqlite, name),
      rows: Number(sqlite.prepare(`select count(*) from ${name}`).pluck().get()),
    })),
    /** Returns the rows of a table in the order of its key. Integers are exact. */
    read({ name, columns }: SourceTable): IterableIterator<readonly unknown[]> {
      const statement = sqlite.prepare<[], readonly unknown[]>(`select ${columns.join(", ")} from ${name}`);
      return statement.safeIntegers().raw().iterate();
    },
    close: (): void => void sqlite.close(),
  };
}

function readId(sqlite: Sqlite.Database): string {
  const first = "select id from audit_events order by entry limit 1";
  const id = sqlite.prepare<[], string>(first).pluck().get();
  if (id === undefined)
    throw new Error("no server has used the SQLite database yet: there is nothing to move");
  return id;
}

function listColumns(sqlite: Sqlite.Database, table: string): readonly string[] {
  return sqlite.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}

function inOrder(sqlite: Sqlite.Database, names: readonly string[]): readonly string[] {
  const references = sqlite
    .prepare<[string], string>(`select distinct "table" from pragma_foreign_key_list(?)`)
    .pluck();
  const ordered = new Set<string>();
  const add = (name: string): void => {
    if (ordered.has(name)) return;
    for (const other of references.all(name)) if (other !== name) add(other);
    ordered.add(name);
  };
  for (const name of [...names].sort()) add(name);
  return [...ordered];
}
