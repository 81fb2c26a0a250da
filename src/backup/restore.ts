/** Restores a data folder from a backup. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createSignInStore } from "../accounts/sessions/store/sessions.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import { reportBytes, type OnProgress } from "../core/report/progress.js";
import { abandonRestore, beginRestore, install, undoRestore } from "../store/backup/swap.js";
import { openDatabase } from "../store/database.js";
import { readErrorCode, explainFailure } from "../system/file-errors.js";
import { lockFolder } from "../store/folder/lock.js";
import { createWrites } from "../store/writes.js";
import { databaseFile } from "../store/data-folder.js";
import { refusePostgres } from "../store/data-folder.js";
import type { BackupManifest } from "./manifest.js";
import { extractArchive } from "./read-archive.js";
import { verifyExtracted, type VerifyOptions } from "./verify.js";

export interface RestoreOptions extends VerifyOptions {
  readonly clock: Clock;
  readonly onProgress: OnProgress;
}

export interface RestoreReport extends BackupManifest {
  /** Absolute path of the backup. */
  readonly file: string;
  /** Absolute path of the data folder. */
  readonly data: string;
  /** Absolute path of the folder that keeps the former files; null if there were none. */
  readonly formerData: string | null;
  /** Whether an earlier restore that was interrupted had to be undone first. */
  readonly undidInterrupted: boolean;
}

/**
 * Extracts a backup into the data folder, checks it, and only then puts it in the place of what is there. Killed at any moment, it can
 * be run again.
 * @throws Error with one sentence; then the data folder is as before.
 */
export async function restoreBackup(
  config: Config,
  file: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  refusePostgres(config, "restore", "pg_restore");
  const source = resolve(file);
  const bytesTotal = await measureBackup(source);
  const unlock = lockFolder(config.data, 0);
  try {
    const undidInterrupted = await undoRestore(config.data);
    const manifest = await extract(source, bytesTotal, config, options);
    const time = new Date(options.clock.now())
      .toISOString()
      .replace(/\.\d+Z$/, "Z")
      .replaceAll(":", "-");
    const formerData = await install(config.data, time);
    return { file: source, data: config.data, formerData, undidInterrupted, ...manifest };
  } finally {
    unlock();
  }
}

async function extract(
  source: string,
  bytesTotal: number,
  { data }: Config,
  { onProgress, allowUnbalanced }: RestoreOptions,
): Promise<BackupManifest> {
  const folder = await beginRestore(data);
  try {
    const manifest = await extractArchive(source, folder, reportBytes("reading", bytesTotal, onProgress));
    await verifyExtracted(folder, { allowUnbalanced, onProgress });
    await endSignIns(folder);
    return manifest;
  } catch (thrown) {
    await abandonRestore(data);
    throw new Error(`${source} was not restored, and nothing was changed: ${explainFailure(thrown)}`, {
      cause: thrown,
    });
  }
}

/** Deletes sessions and links of the console: those that ended, and those that were used, since the backup would work again. */
async function endSignIns(folder: string): Promise<void> {
  const database = await openDatabase(databaseFile({ data: folder }));
  try {
    const signIns = createSignInStore(database);
    await createWrites(database).commit([signIns.allSessionRemovals(), signIns.allLinkRemovals()]);
  } finally {
    await database.close();
  }
}

async function measureBackup(source: string): Promise<number> {
  try {
    const stats = await stat(source);
    if (!stats.isFile()) throw new Error("it is not a file");
    return stats.size;
  } catch (thrown) {
    const reason = readErrorCode(thrown) === "ENOENT" ? "it does not exist" : explainFailure(thrown);
    throw new Error(`cannot read the backup ${source}: ${reason}`, { cause: thrown });
  }
}
