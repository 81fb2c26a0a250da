/** `hearth migrate --from sqlite --to postgres`. */
import { Option, type Command } from "commander";
import type { MoveProgress, MoveReport } from "../../app/app.js";
import { formatJson } from "../table.js";
import type { ProgressOutput } from "./progress.js";

export interface MigrateIo {
  /** Moves the data of the configured data folder. */
  readonly move: (onProgress: (progress: MoveProgress) => void) => Promise<MoveReport>;
  readonly out: { write(text: string): unknown };
  readonly err: ProgressOutput;
}

/** Adds the command. */
export function addMigrateCommand(program: Command, { move, out, err }: MigrateIo): void {
  program
    .command("migrate")
    .description(
      "move everything from the data folder's SQLite database to the PostgreSQL database of databaseUrl; the server must be stopped",
    )
    .addOption(new Option("--from <database>", "where the data is").choices(["sqlite"]).makeOptionMandatory())
    .addOption(new Option("--to <database>", "where it goes").choices(["postgres"]).makeOptionMandatory())
    .option("--json", "print one JSON object")
    .action(async ({ json = false }: { json?: boolean }) => {
      const isTerminal = err.isTTY === true;
      const clear = (): void => void (isTerminal && err.write("\r\u001b[K"));
      const report = await move(({ table, rowsDone, rowsTotal }) => {
        if (!isTerminal) return;
        clear();
        err.write(`${rowsDone} of ${rowsTotal} rows: ${table}`.slice(0, (err.columns ?? 80) - 1));
      }).finally(clear);
      out.write(json ? formatJson(report) : textOf(report));
    });
}

function textOf({ database, tables }: MoveReport): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `moved ${rows} rows of ${tables.length} tables to ${database}; the ledger balances`,
    "start the server with the same databaseUrl and the same data folder, which has its files; hearth.db is no longer used",
    "",
  ].join("\n");
}
