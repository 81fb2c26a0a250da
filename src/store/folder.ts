import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./failure.js";

/**
 * Makes a folder for its owner alone, and the folders above it; one that is there is left as it is. Node's own recursive
 * mkdir never returns where the parent is there and still nothing can be made in it, as in /proc.
 * @throws Error of Node, with its code.
 */
export function makeFolder(folder: string): void {
  try {
    makeOne(folder);
  } catch (thrown) {
    const parent = dirname(folder);
    if (codeOf(thrown) !== "ENOENT" || parent === folder) throw thrown;
    makeFolder(parent);
    makeOne(folder);
  }
}

function makeOne(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  mkdirSync(folder, { mode: 0o700 });
}
