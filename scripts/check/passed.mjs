/**
 * What of the check has passed on the sources as they are. A step that only reads them finds the same again. The tests of the small size are
 * part of the size all: the first run of that size after them does without them.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A step has one file there, with the hash of what it has passed on. */
const folder = "node_modules/.cache/hearth-check";
const testsFile = "small-tests.json";
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
 * @typedef {{ files: string[], passed: number }} PassedTests `files`: their paths from the root; `passed`: how many tests they have
 */

/**
 * Keeps what the tests of the small size have passed on.
 * @param {string} root
 * @param {string} sources
 * @param {PassedTests} tests
 */
export function keepSmallTests(root, sources, tests) {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, testsFile), JSON.stringify({ key: keyOfTests(sources), ...tests }));
}

/**
 * Takes what was kept: a second run repeats the tests.
 * @param {string} root
 * @param {string} sources
 * @returns {PassedTests} no files when the sources, or the settings of tests, have changed since
 */
export function takeSmallTests(root, sources) {
  const path = join(root, folder, testsFile);
  const content = readIfThere(path);
  rmSync(path, { force: true });
  const kept = parseKept(content?.toString() ?? "");
  return kept?.key === keyOfTests(sources) ? kept : { files: [], passed: 0 };
}

/**
 * @param {string} text
 * @returns {(PassedTests & { key: string }) | null} null for nothing, and for what a run that was killed has written
 */
function parseKept(text) {
  try {
    return /** @type {PassedTests & { key: string }} */ (JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * @param {string} sources
 * @returns {string} the sources, and the settings that tests read
 */
function keyOfTests(sources) {
  const settings = Object.entries(process.env).filter(
    ([name]) => /^(HEARTH|TEST)_/.test(name) && name !== "TEST_SIZE",
  );
  return JSON.stringify([sources, settings.sort()]);
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
