/**
 * The PostgreSQL database that data is moved into. The table `data_move` names the source, and the tables that are complete, until
 * everything is there: while it exists no server starts, and the same move can go on after a break.
 */
import type pg from "pg";
import { createVersion, migrateWith, transact, readPostgresVersion } from "../migrate.js";
import type { SourceTable } from "./source.js";

/** Parameters of one statement; PostgreSQL takes 65,535. */
const parametersMax = 30_000;

/**
 * Prepares a database that is empty, or into which the same source was being moved. The first transaction marks it as one that is being
 * moved into; its schema follows.
 * @throws Error when it has other data.
 */
export async function beginMove(client: pg.Client, sourceId: string): Promise<void> {
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
export async function endMove(client: pg.Client): Promise<void> {
  await client.query("drop table data_move");
}

/** Switches the triggers that keep sums, which come from the source, off or on. */
export async function switchTriggers(
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
export async function copyTable(
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

export async function countRows(client: pg.Client, table: string): Promise<number> {
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
