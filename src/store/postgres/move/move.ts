/** Moves everything from a SQLite database into an empty PostgreSQL database. */
import type { Clock } from "../../../core/clock.js";
import type { OnProgress } from "../../../core/report/progress.js";
import { explainFailure } from "../../../system/file-errors.js";
import { parsePostgresUrl } from "../address.js";
import { withMigrationLock } from "../migrate.js";
import { takeServerLock } from "../server-lock.js";
import { openMoveSource, type MoveSource } from "./source.js";
import { beginMove, copyTable, countRows, endMove, switchTriggers } from "./target.js";
import type pg from "pg";

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
