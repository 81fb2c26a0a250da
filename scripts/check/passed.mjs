/** Which steps of the check have passed on the sources as they are: a step that only reads them finds the same again. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A step has one file there, with the hash of what it has passed on. */
const folder = "node_modules/.cache/hearth-check";
/** What npm has installed. */
const installed = "node_modules/.package-lock.json";

/**
 * Returns a hash of every file that git does not ignore, with its path, of the installed packages and of the version of Node.js; null where git
 * knows no such files.
 * @param {string} root
 */
export function hashSources(root) {
  try {
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const paths = [...new Set(listed.toString().split("\0"))].filter((path) => path !== "").sort();
    if (paths.length === 0) return null;
    const hash = createHash("sha256").update(process.version);
    for (const path of [installed, ...paths]) {
      const content = readIfThere(join(root, path));
      hash.update(`\0${path}\0${content === null ? "none" : content.length}\0`).update(content ?? "");
    }
    return hash.digest("hex");
  } catch {
    return null;
  }
}

/**
 * @param {string} root
 * @param {string} step
 * @param {string} sources
 * @returns {boolean} whether the step has passed on these sources
 */
export function hasPassed(root, step, sources) {
  return readIfThere(join(root, folder, step))?.toString() === sources;
}

/**
 * @param {string} root
 * @param {string} step
 * @param {string} sources
 */
export function keepPassed(root, step, sources) {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, step), sources);
}

/**
 * @param {string} path
 * @returns {Buffer | null} null for what is not there, and for a folder, which is another repository
 */
function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
