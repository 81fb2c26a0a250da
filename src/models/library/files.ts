/** Reads the folders of other programs. */
import { readdir } from "node:fs/promises";
import { openRegularFile } from "../../system/regular-file.js";
import { entriesMax } from "./foreign-model.js";

/** Returns the names in a folder in order, without hidden ones; none if it is no folder, or cannot be read. */
export async function entriesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => !name.startsWith("."))
    .sort()
    .slice(0, entriesMax);
}

/** Whether a file begins as GGUF files do. */
export async function isGgufFile(path: string): Promise<boolean> {
  const file = await openRegularFile(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "GGUF";
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
