/** `hearth migrate --from sqlite --to postgres`. */
import { Option, type Command } from "commander";
import type { MoveReport } from "../../backup/move-database.js";
import type { OnProgress } from "../../core/report/progress.js";
import { formatJson } from "../table.js";
import { withProgress, type LongCommandIo } from "../progress.js";

interface MigrateIo extends LongCommandIo {
  /** Moves the data of the configured data folder. */
  readonly move: (onProgress: OnProgress) => Promise<MoveReport>;
  readonly out: { write(text: string): unknown };
}

/** Adds the command. */
export function addMigrateCommand(program: Command, io: MigrateIo): void {
  const { move, out } = io;
  program
    .command("migrate")
    .description(
      "move everything from the data folder's SQLite database to the PostgreSQL database of databaseUrl; the server must be stopped",
    )
    .addOption(new Option("--from <database>", "where the data is").choices(["sqlite"]).makeOptionMandatory())
    .addOption(new Option("--to <database>", "where it goes").choices(["postgres"]).makeOptionMandatory())
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but errors")
    .action(async ({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const stopped =
        "stopped; the same command goes on from here, and no server starts on that database before it has";
      const report = await withProgress(io, { isQuiet: quiet, stopped }, move);
      if (json === true) out.write(formatJson(report));
      else if (quiet !== true) out.write(formatReport(report));
    });
}

function formatReport({ database, tables }: MoveReport): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `moved ${rows} rows of ${tables.length} tables to ${database}; the ledger balances`,
    "start the server with the same databaseUrl and the same data folder, which has its files; hearth.db is no longer used",
    "",
  ].join("\n");
}
