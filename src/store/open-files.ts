import { statSync } from "node:fs";
import { explainFailure } from "../system/file-errors.js";

/**
 * Remembers which files a database was opened from, and returns a function that says what has happened to them since: null, or that
 * one was removed, replaced or emptied. Writes to such a file succeed and are lost when the process ends.
 * @param files paths of files that are open and have content.
 */
export function watchOpenFiles(files: readonly OpenFile[]): () => string | null {
  const opened = files.map((file) => ({ ...file, id: readId(file.path) }));
  return () => {
    for (const { path, name, id, canBeEmpty } of opened) {
      const found = describe(path, id, canBeEmpty);
      if (found !== null) return `${name} ${found}`;
    }
    return null;
  };
}

interface OpenFile {
  readonly path: string;
  /** What the operator is shown, instead of the path. */
  readonly name: string;
  readonly canBeEmpty: boolean;
}

function describe(path: string, id: string, canBeEmpty: boolean): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return "was removed";
    if (`${stats.dev}:${stats.ino}` !== id) return "was replaced";
    return stats.size === 0n && !canBeEmpty ? "was emptied" : null;
  } catch (thrown) {
    return `cannot be read: ${explainFailure(thrown)}`;
  }
}

/** The numbers of an open file's device and inode are not given to another file. */
function readId(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
