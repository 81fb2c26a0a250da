/** The layout of the data folder, and whether it has the database. Commands load this before they open anything. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join, resolve, win32 } from "node:path";
import { fileError } from "../system/file-errors.js";

interface OwnFolder {
  readonly data: string;
}

export interface Folder extends OwnFolder {
  readonly sharedFolder: string | null;
}

interface DatabasePlace {
  /** The URL of a PostgreSQL database; null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
}

/** Name of the folder of the log; a restore leaves it where it is. */
export const logsFolder = "logs";

/** The folder of what all servers of a database need to see: contents of files, images, settings of models. */
export function contentsFolder({ data, sharedFolder }: Folder): string {
  return sharedFolder ?? data;
}

export function databaseFile({ data }: OwnFolder): string {
  return join(data, "hearth.db");
}

/** Whether there is a database already, or one that may be asked. SQLite's is created by the first server. */
export function hasDatabase(config: OwnFolder & DatabasePlace): boolean {
  return config.databaseUrl !== null || existsSync(databaseFile(config));
}

/** @throws Error with one sentence when the database is PostgreSQL, which has tools of its own. */
export function refusePostgres({ databaseUrl }: DatabasePlace, command: string, tool: string): void {
  if (databaseUrl !== null)
    throw new Error(
      `\`hearth ${command}\` is for SQLite, and databaseUrl names a PostgreSQL database: use ${tool}, and copy the data folder`,
    );
}

/** The file with the first API key, which `hearth run` reads. */
export function firstKeyFile({ data }: OwnFolder): string {
  return join(data, "first-key");
}

/** The file with the first management key. */
export function firstManagementKeyFile({ data }: OwnFolder): string {
  return join(data, "first-management-key");
}

/** The longest path of a socket that every system takes, in bytes. */
const socketBytesMax = 103;

/**
 * The socket by which commands reach the running server: a file in the data folder, on Windows a named pipe. null: the path of the file is
 * too long; commands then do the same in their own process.
 */
export function operatorSocket({ data }: OwnFolder, platform = process.platform): string | null {
  if (platform === "win32") {
    // Paths there have no case. The name of a pipe has at most 256 characters, and no backslash.
    const folder = createHash("sha256").update(win32.resolve(data).toLowerCase()).digest("hex");
    return `\\\\.\\pipe\\hearth-${folder}`;
  }
  const path = resolve(data, "operator", "socket");
  return Buffer.byteLength(path) > socketBytesMax ? null : path;
}

/** The settings of models that commands and the management API write. */
export function modelSettingsFile(folder: Folder): string {
  return join(contentsFolder(folder), "model-settings.yaml");
}

/** The log of the server. */
export function logFile({ data }: OwnFolder): string {
  return join(data, logsFolder, "hearth.log");
}

/** What was in the log before it became too long. */
export function formerLogFile({ data }: OwnFolder): string {
  return join(data, logsFolder, "hearth.1.log");
}

/** The file that names the last backup. */
export function lastBackupFile({ data }: OwnFolder): string {
  return join(data, "last-backup.json");
}

/** The folder of vocabularies that were made from files of tokenizers; it can be deleted. */
export function vocabulariesFolder({ data }: Folder): string {
  return join(data, "vocabularies");
}

/** The folder of generated images that are fetched by URL. */
export function imagesFolder(folder: Folder): string {
  return join(contentsFolder(folder), "images");
}

/** The folder of the contents of files. */
export function filesFolder(folder: Folder): string {
  return join(contentsFolder(folder), "files");
}

/**
 * Writes a secret to a file that only its owner can read.
 * @throws Error with one sentence that names the file and the reason.
 */
export async function writeSecret(file: string, secret: string): Promise<void> {
  try {
    await writeFile(file, `${secret}\n`, { mode: 0o600 });
    await chmod(file, 0o600);
  } catch (thrown) {
    throw fileError("cannot write the secret of a first key to", file, thrown);
  }
}
