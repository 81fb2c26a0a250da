import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./failure.js";

/**
 * Makes a folder for its owner alone, and the folders above it; one that is there is left as it is. Node's own recursive
 * mkdir never returns where the parent exists and still nothing can be made in it, as in /proc.
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
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Not recursive, Node calls everything that is in the way EEXIST or EISDIR; with `recursive` a folder is no error.
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    mkdirSync(folder, { recursive: true });
  }
}
