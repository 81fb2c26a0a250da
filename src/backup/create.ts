/** Backs up a data folder into one file, with or without a running server. */
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { replaceFile } from "../system/replace-file.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../core/clock.js";
import { reportBytes, type OnProgress } from "../core/report/progress.js";
import { copyDatabase } from "../store/backup/copy.js";
import { syncFolder } from "../system/sync-folder.js";
import { fileError } from "../system/file-errors.js";
import { isProcessAlive } from "../system/processes.js";
import { version } from "../system/version.js";
import { databaseFile, filesFolder, imagesFolder } from "../store/data-folder.js";
import { refusePostgres } from "../store/data-folder.js";
import {
  findPartBytesMax,
  databasePart,
  filesPart,
  imagesPart,
  toBackupManifest,
  refuseManyParts,
  smallParts,
  type BackupManifest,
} from "./manifest.js";
import { noteLastBackup } from "./last-backup.js";
import { extractArchive } from "./read-archive.js";
import { verifyExtracted, type VerifyOptions } from "./verify.js";
import { writeArchive, type SourceFile } from "./write-archive.js";

export interface BackupOptions extends VerifyOptions {
  /** Whether an existing file is replaced. */
  readonly force: boolean;
  readonly clock: Clock;
  readonly onProgress: OnProgress;
}

export interface BackupReport extends BackupManifest {
  /** Absolute path of the backup. */
  readonly file: string;
  /** Size of the backup. */
  readonly bytes: number;
}

/**
 * Writes a backup under a temporary name next to `file`, reads it back, checks it, and renames it. The file is readable by its owner only.
 * It takes disk space for two more copies of the data while it works.
 * @throws Error with one sentence; then there is no new file.
 */
export async function createBackup(
  config: Config,
  file: string,
  options: BackupOptions,
): Promise<BackupReport> {
  refusePostgres(config, "backup", "pg_dump");
  const target = resolve(file);
  if (!existsSync(databaseFile(config)))
    throw new Error(`there is no database in the data folder ${config.data}: nothing to back up`);
  const refuseExisting = (): void => {
    if (!options.force && existsSync(target)) throw new Error(`${target} exists; --force replaces it`);
  };
  refuseExisting();
  const work = await workFolder(target);
  try {
    const archive = join(work, "archive");
    const manifest = await writeTo(archive, work, config, options);
    await verifyArchive(archive, join(work, "extracted"), options);
    refuseExisting();
    const { size: bytes } = await stat(archive);
    await replaceFile(archive, target);
    await syncFolder(dirname(target));
    await noteLastBackup(config, { file: target, created: manifest.created, bytes });
    return { file: target, bytes, ...manifest };
  } catch (thrown) {
    throw explained(target, thrown);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function writeTo(
  archive: string,
  work: string,
  config: Config,
  { clock, onProgress }: BackupOptions,
): Promise<BackupManifest> {
  const created = new Date(clock.now()).toISOString();
  const database = join(work, databasePart);
  const schema = await copyDatabase(databaseFile(config), database, (done, total) =>
    onProgress({ phase: "copying the database", done, total, unit: "bytes" }),
  );
  // After the database: every image and file of which the copy has a row is there, or was deleted since.
  const files = [{ name: databasePart, path: database }, ...(await smallFiles(config))];
  refuseManyParts(files.length);
  const manifest = await writeArchive(
    archive,
    files,
    (parts) => toBackupManifest({ hearth: version, schema, created, parts: [...parts] }),
    reportBytes("writing", await sumSizes(files), onProgress),
  );
  await rm(database);
  return manifest;
}

async function verifyArchive(
  archive: string,
  folder: string,
  { onProgress, allowUnbalanced }: BackupOptions,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const { size } = await stat(archive);
  try {
    await extractArchive(archive, folder, reportBytes("verifying", size, onProgress));
    await verifyExtracted(folder, { allowUnbalanced, onProgress });
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new Error(`the backup was read back and refused: ${thrown.message}`, { cause: thrown });
  }
}

/** Creates the folder for temporary files, and removes the folders of backups whose process has ended. */
async function workFolder(target: string): Promise<string> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.partial-`;
  try {
    for (const name of await readdir(folder)) {
      const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
      if (pid === process.pid || (pid > 0 && !isProcessAlive(pid)))
        await rm(join(folder, name), { recursive: true, force: true });
    }
    const work = join(folder, `${prefix}${process.pid}`);
    await mkdir(work, { mode: 0o700 });
    return work;
  } catch (thrown) {
    throw fileError("cannot write to the folder", folder, thrown);
  }
}

/** The files besides the database that exist. */
async function smallFiles(config: Config): Promise<readonly SourceFile[]> {
  const settings = [...smallParts.keys()].map((name) => ({ name, path: join(config.data, name) }));
  const images = await listFiles(imagesFolder(config), imagesPart);
  const files = await listFiles(filesFolder(config), filesPart);
  return [...settings, ...images, ...files].filter(({ path }) => existsSync(path));
}

async function listFiles(folder: string, part: string): Promise<readonly SourceFile[]> {
  return (await readdir(folder).catch(() => []))
    .map((name) => ({ name: `${part}${name}`, path: join(folder, name) }))
    .filter(({ name }) => findPartBytesMax(name) !== null);
}

async function sumSizes(files: readonly SourceFile[]): Promise<number> {
  const sizes = await Promise.all(files.map(({ path }) => stat(path).catch(() => ({ size: 0 }))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

/** Names the file in errors of the system. */
function explained(target: string, thrown: unknown): unknown {
  const isSystem = thrown instanceof Error && "syscall" in thrown;
  return isSystem ? fileError("cannot write the backup", target, thrown) : thrown;
}
