/**
 * Finds what a change can affect: the files changed since a commit, and the tests that reach one of them. A test reaches what it
 * imports, directly or not, and what its files name by `new URL(...)` or by a path in `dist/`, which stands for the source it
 * is compiled from. The answer errs on the side of too many tests.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A change to one of these can affect every test. */
const affectsAll = [
  /^package(-lock)?\.json$/,
  /^vitest\.config\.ts$/,
  /^tsconfig\.json$/,
  /^scripts\/build\.mjs$/,
  /^test\/kit\/(sizes\.ts$|setup\/|contract\/)/,
];

/** These tests read the whole checkout, or what is not an import. */
const readsAll = /^test\/(tidy|scripts|docs)/;

/**
 * Files that differ from a commit, untracked ones included, as paths from the root.
 * @param {string} root
 * @param {string} since a commit; its merge base with HEAD counts
 * @returns {string[]}
 * @throws {Error} when git does not know the commit
 */
export function changedFiles(root, since) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
      .split("\n")
      .filter((line) => line !== "");
  const [base] = git("merge-base", since, "HEAD");
  const files = [
    ...git("diff", "--name-only", base ?? since),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  return [...new Set(files)].sort();
}

/**
 * Test files that a change to these files can affect.
 * @param {string} root
 * @param {readonly string[]} changed paths from the root
 * @returns {string[]} paths from the root, sorted
 */
export function affectedTests(root, changed) {
  const tests = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "test"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path.endsWith(".test.ts") && existsSync(join(root, path)));
  if (changed.some((path) => affectsAll.some((pattern) => pattern.test(path)))) return tests.sort();
  if (changed.length === 0) return [];
  const edges = createEdges(root);
  return tests.filter((test) => readsAll.test(test) || reaches(test, changed, edges)).sort();
}

/**
 * @param {string} test
 * @param {readonly string[]} changed
 * @param {(path: string) => readonly string[]} edges
 */
function reaches(test, changed, edges) {
  const isChanged = (/** @type {string} */ path) =>
    changed.some((file) => file === path || (path.endsWith("/") && file.startsWith(path)));
  const seen = new Set([test]);
  const waiting = [test];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (isChanged(path)) return true;
    for (const next of edges(path)) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return false;
}

/**
 * What a file names: files, and folders with a slash at the end.
 * @param {string} root
 * @returns {(path: string) => readonly string[]}
 */
function createEdges(root) {
  /** @type {Map<string, readonly string[]>} */
  const known = new Map();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = /\.(ts|mjs|js)$/.test(path) && existsSync(join(root, path)) ? namedBy(root, path) : [];
    known.set(path, found);
    return found;
  };
}

/**
 * @param {string} root
 * @param {string} path
 */
function namedBy(root, path) {
  const text = readFileSync(join(root, path), "utf8");
  /** @type {Set<string>} */
  const found = new Set();
  // Any quoted relative path, up to where a template begins.
  for (const [, quoted = ""] of text.matchAll(/["'`](\.{1,2}\/[^"'`\n$]*)/g))
    add(found, root, posix.normalize(posix.join(dirname(path), quoted)));
  for (const [, quoted = ""] of text.matchAll(/["'`](?:\.{1,2}\/)*((?:dist|models|scripts)\/[^"'`\n$]*)/g))
    add(found, root, posix.normalize(quoted));
  return [...found];
}

/**
 * @param {Set<string>} found
 * @param {string} root
 * @param {string} path
 */
function add(found, root, path) {
  const source = path.replace(/^dist\//, "src/");
  const candidates = [source.replace(/\.js$/, ".ts"), source];
  for (const candidate of candidates) {
    const stats = existsSync(join(root, candidate)) ? statSync(join(root, candidate)) : null;
    if (stats === null) continue;
    found.add(stats.isDirectory() ? `${candidate.replace(/\/$/, "")}/` : candidate);
    return;
  }
  // A path that a template completes: its folder.
  const folder = `${posix.dirname(source)}/`;
  if (folder.split("/").length > 2 && existsSync(join(root, folder))) found.add(folder);
}
