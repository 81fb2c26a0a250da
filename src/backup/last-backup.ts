/** Where the last backup of a data folder is, kept in that folder for `hearth doctor`. */
import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { replaceFile } from "../system/replace-file.js";
import type { Config } from "../config/config.js";
import { lastBackupFile } from "../store/data-folder.js";

const lastBackup = z.object({
  /** Absolute path. */
  file: z.string(),
  /** When its copy of the database was begun, as an ISO 8601 time. */
  created: z.string(),
  bytes: z.int().min(0),
});
type LastBackup = z.infer<typeof lastBackup>;

/** Notes a backup. A note that cannot be written is left out: the backup is as good without it. */
export async function noteLastBackup(config: Config, { file, created, bytes }: LastBackup): Promise<void> {
  const note = lastBackupFile(config);
  const temporary = `${note}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ file, created, bytes })}\n`, { mode: 0o600 })
    .then(() => replaceFile(temporary, note))
    .catch(() => undefined);
}

/** Returns the last backup; null when there is no backup, or its note cannot be read. */
export async function readLastBackup(config: Config): Promise<LastBackup | null> {
  try {
    return lastBackup.parse(JSON.parse(await readFile(lastBackupFile(config), "utf8")));
  } catch {
    return null;
  }
}
