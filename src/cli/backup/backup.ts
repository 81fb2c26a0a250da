/** `hearth backup FILE` and `hearth restore FILE`. */
import type { Command } from "commander";
import type { BackupOptions, BackupReport } from "../../backup/create.js";
import type { RestoreOptions, RestoreReport } from "../../backup/restore.js";
import type { Clock } from "../../core/clock.js";
import { sizeText } from "../../core/report/size-text.js";
import { formatJson } from "../table.js";
import type { TextOut } from "../terminal.js";
import { progressLine } from "./progress.js";

interface BackupIo {
  /** Backs up the configured data folder. */
  readonly create: (file: string, options: BackupOptions) => Promise<BackupReport>;
  /** Restores the configured data folder. */
  readonly restore: (file: string, options: RestoreOptions) => Promise<RestoreReport>;
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
  readonly err: TextOut;
}

interface RestoreCommandOptions {
  readonly unbalanced?: boolean;
  readonly json?: boolean;
}

interface BackupCommandOptions extends RestoreCommandOptions {
  readonly force?: boolean;
}

/** Adds both commands. */
export function addBackupCommands(program: Command, io: BackupIo): void {
  addBackupCommand(program, io);
  addRestoreCommand(program, io);
}

function addBackupCommand(program: Command, { create, clock, out, err }: BackupIo): void {
  program
    .command("backup")
    .description("back up the data folder into one file, also while the server runs; models are not in it")
    .argument("<file>", "file to write, such as hearth-backup.tar.gz")
    .option("--force", "replace the file if it exists")
    .option("--unbalanced", "back up a ledger that does not balance, too")
    .option("--json", "print one JSON object")
    .action(
      async (file: string, { force = false, unbalanced = false, json = false }: BackupCommandOptions) => {
        const line = progressLine(err);
        const options = { clock, force, allowUnbalanced: unbalanced, onProgress: line.show };
        const report = await create(file, options).finally(line.clear);
        out.write(json ? formatJson(report) : backupText(report));
      },
    );
}

function addRestoreCommand(program: Command, { restore, clock, out, err }: BackupIo): void {
  program
    .command("restore")
    .description("put a backup in the place of the data folder's files; the server must be stopped")
    .argument("<file>", "file that hearth backup has written")
    .option("--unbalanced", "restore a ledger that does not balance, too")
    .option("--json", "print one JSON object")
    .action(async (file: string, { unbalanced = false, json = false }: RestoreCommandOptions) => {
      const line = progressLine(err);
      const options = { clock, allowUnbalanced: unbalanced, onProgress: line.show };
      const report = await restore(file, options).finally(line.clear);
      out.write(json ? formatJson(report) : restoreText(report));
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
