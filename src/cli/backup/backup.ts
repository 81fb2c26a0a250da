/** `hearth backup FILE` and `hearth restore FILE`. */
import type { Command } from "commander";
import type { BackupOptions, BackupReport } from "../../backup/create.js";
import type { RestoreOptions, RestoreReport } from "../../backup/restore.js";
import type { Clock } from "../../core/clock.js";
import { sizeText } from "../../core/report/size-text.js";
import { formatJson } from "../table.js";
import { withProgress, type LongCommandIo } from "../progress.js";

interface BackupIo extends LongCommandIo {
  /** Backs up the configured data folder. */
  readonly create: (file: string, options: BackupOptions) => Promise<BackupReport>;
  /** Restores the configured data folder. */
  readonly restore: (file: string, options: RestoreOptions) => Promise<RestoreReport>;
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

interface RestoreCommandOptions {
  readonly unbalanced?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface BackupCommandOptions extends RestoreCommandOptions {
  readonly force?: boolean;
}

/** Adds both commands. */
export function addBackupCommands(program: Command, io: BackupIo): void {
  addBackupCommand(program, io);
  addRestoreCommand(program, io);
}

function addBackupCommand(program: Command, io: BackupIo): void {
  const { create, clock, out } = io;
  program
    .command("backup")
    .description("back up the data folder into one file, also while the server runs; models are not in it")
    .argument("<file>", "file to write, such as hearth-backup.tar.gz")
    .option("--force", "replace the file if it exists")
    .option("--unbalanced", "back up a ledger that does not balance, too")
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but errors")
    .action(
      async (file: string, { force = false, unbalanced = false, json, quiet }: BackupCommandOptions) => {
        const report = await withProgress(
          io,
          { isQuiet: quiet, stopped: `stopped; ${file} was not written` },
          (onProgress) => create(file, { clock, force, allowUnbalanced: unbalanced, onProgress }),
        );
        if (json === true) out.write(formatJson(report));
        else if (quiet !== true) out.write(backupText(report));
      },
    );
}

function addRestoreCommand(program: Command, io: BackupIo): void {
  const { restore, clock, out } = io;
  program
    .command("restore")
    .description("put a backup in the place of the data folder's files; the server must be stopped")
    .argument("<file>", "file that hearth backup has written")
    .option("--unbalanced", "restore a ledger that does not balance, too")
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but errors")
    .action(async (file: string, { unbalanced = false, json, quiet }: RestoreCommandOptions) => {
      const report = await withProgress(
        io,
        { isQuiet: quiet, stopped: "stopped; nothing was restored, and the data folder is as before" },
        (onProgress) => restore(file, { clock, allowUnbalanced: unbalanced, onProgress }),
      );
      if (json === true) out.write(formatJson(report));
      else if (quiet !== true) out.write(restoreText(report));
    });
}

function backupText({ file, bytes, parts }: BackupReport): string {
  const folders = { image: "images/", file: "files/" };
  const counts = Object.entries(folders).flatMap(([what, folder]) => {
    const count = parts.filter(({ name }) => name.startsWith(folder)).length;
    return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
  });
  const others = parts.map(({ name }) => name).filter((name) => !name.includes("/"));
  const contents = [...others, ...counts];
  return `backed up ${contents.join(", ")} to ${file} (${sizeText(bytes)}), read back and verified; models are not in it\n`;
}

function restoreText({ file, data, created, hearth, formerData, undidInterrupted }: RestoreReport): string {
  return [
    ...(undidInterrupted ? ["undid a restore that was interrupted"] : []),
    `restored ${data} from ${file}, which Hearth ${hearth} made at ${created}`,
    ...(formerData === null
      ? []
      : [`the former files are in ${formerData}; delete that folder when you do not need them`]),
    "start the server with `hearth start`",
    "",
  ].join("\n");
}
