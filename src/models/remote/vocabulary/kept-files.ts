/** The folder of the vocabularies that were written: files whose names are digests, the latest ones. */
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFileErrorCode, TokenizerRefusal } from "./refusal.js";

/** Files of models that have changed or are placed no more count, too; each has some megabytes. */
const filesMax = 32;

export async function isKept(folder: string, file: string): Promise<boolean> {
  const stats = await stat(join(folder, file)).catch(() => null);
  return stats?.isFile() === true;
}

/** Writes a file, and removes the oldest ones. @throws TokenizerRefusal */
export async function keep(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, file);
  const unfinished = `${path}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
    await removeOldest(folder);
  } catch (thrown) {
    throw new TokenizerRefusal(
      `its vocabulary cannot be written to ${folder} (${readFileErrorCode(thrown)})`,
    );
  }
}

async function removeOldest(folder: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, writtenAt: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { path } of files.slice(filesMax)) await rm(path, { force: true });
}
