/**
 * Checks that the process may open enough files, before it opens the files of the program itself. With too few it would fail with the name of
 * a source file, or later at a model, a connection or the database.
 */
import { existsSync, readFileSync } from "node:fs";

/** The database, the models' files, threads and logs take about a hundred; the rest is for connections. */
const openFilesMin = 256;

/** Where Linux lists the limits of a process; other systems have no such file, and are not checked. */
const limitsFile = "/proc/self/limits";

/** Returns a sentence for the operator when the limit of open files is too low, else null. */
export function openFilesProblem(): string | null {
  const max = existsSync(limitsFile) ? readOpenFilesMax(readFileSync(limitsFile, "utf8")) : Infinity;
  if (max >= openFilesMin) return null;
  return (
    `this process may open ${max} files at a time, and Hearth needs at least ${openFilesMin}. ` +
    "Raise the limit: `ulimit -n 4096` in a shell, LimitNOFILE= of a service, --ulimit of a container."
  );
}

/** Returns the hard limit, to which Node.js raises the other one at its start; Infinity when there is none. */
export function readOpenFilesMax(limits: string): number {
  const [, hard = "unlimited"] = /^Max open files\s+\S+\s+(\S+)/m.exec(limits) ?? [];
  return hard === "unlimited" ? Infinity : Number(hard);
}
