/**
 * Builds src/ into dist/: compiles TypeScript with tsc and copies the parts of web pages (HTML, CSS, JavaScript), the guides
 * (Markdown) and their pictures (SVG), and compiles the engine's thread pool (C) where there is a compiler. `--if-stale` returns at once when dist/ is up to date. `--unchecked` does not check types,
 * for a caller that checks them itself.
 *
 * dist/.built holds a fingerprint of the sources (path, size, modification time), taken before compiling and written only
 * after success. A lock prevents concurrent builds. Exit codes: 0 built or up to date, 1 the build failed.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const dist = join(root, "dist");
const stamp = join(dist, ".built");
const threadPool = join(dist, "native", "thread-pool.node");
const lock = join(dist, ".building");
const compilerOptions = process.argv.includes("--unchecked") ? ["--noCheck"] : [];
const lockWaitMsMax = 300_000;

process.exitCode = await main(process.argv.includes("--if-stale"));

/** @param {boolean} onlyIfStale */
async function main(onlyIfStale) {
  if (onlyIfStale && isFresh()) return 0;
  mkdirSync(dist, { recursive: true });
  await takeLock();
  try {
    return onlyIfStale && isFresh() ? 0 : build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isFresh() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint() && sourceFiles().every(hasOutput);
}

function build() {
  const before = fingerprint();
  removeOrphans();
  // Incremental tsc assumes that its earlier output still exists.
  if (!sourceFiles().every(hasOutput)) rmSync(join(dist, ".tsbuildinfo"), { force: true });
  const compiler = createRequire(import.meta.url).resolve("typescript7/package.json");
  const tsc = join(dirname(compiler), "bin", "tsc");
  const { status } = spawnSync(
    process.execPath,
    [tsc, "-p", join(root, "tsconfig.json"), ...compilerOptions],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (status !== 0) return fail("tsc found errors (above)");
  for (const file of sourceFiles().filter(isPagePart)) {
    mkdirSync(dirname(outputOf(file)), { recursive: true });
    copyFileSync(file, outputOf(file));
  }
  buildThreadPool();
  const main = join(dist, "main.js");
  if (existsSync(main)) {
    if (!readFileSync(main, "utf8").startsWith("#!"))
      return fail("src/main.ts must begin with #!/usr/bin/env node");
    chmodSync(main, 0o755);
  }
  writeFileSync(stamp, before);
  return 0;
}

/** Compiles thread-pool.c. Without a compiler, or on another system than Linux, the engine makes threads for every token instead. */
function buildThreadPool() {
  rmSync(threadPool, { force: true });
  if (process.platform !== "linux") return;
  mkdirSync(dirname(threadPool), { recursive: true });
  const source = join(src, "engine", "llama", "threads", "thread-pool.c");
  const options = [
    "-O2",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-pthread",
    "-o",
    threadPool,
    source,
    "-ldl",
  ];
  spawnSync(process.env["CC"] ?? "cc", options, { stdio: "ignore" });
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`build failed: ${reason}\n`);
  rmSync(stamp, { force: true });
  return 1;
}

/** Waits for another build to end; removes the lock of a build that died. */
async function takeLock() {
  for (let waitedMs = 0; ; waitedMs += 100) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: "wx" });
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
    }
    if (waitedMs >= lockWaitMsMax || !isLockHeld()) rmSync(lock, { force: true });
    else await delay(100);
  }
}

function isLockHeld() {
  try {
    const holder = Number(readFileSync(lock, "utf8"));
    // A lock that is still being written is empty.
    return holder === 0 || process.kill(holder, 0);
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

function fingerprint() {
  const inputs = [join(root, "package.json"), join(root, "tsconfig.json"), ...sourceFiles()];
  return inputs
    .map((file) => [relative(root, file), statSync(file).size, statSync(file).mtimeMs].join(" "))
    .join("\n");
}

function sourceFiles() {
  return filesIn(src).filter(
    (file) => (file.endsWith(".ts") && !file.endsWith(".d.ts")) || isPagePart(file) || file.endsWith(".c"),
  );
}

/** Returns whether a file is copied: it is served to browsers, or rendered for them. @param {string} file */
function isPagePart(file) {
  return /\.(html|css|js|md|svg)$/.test(file);
}

/** @param {string} source */
function hasOutput(source) {
  return source.endsWith(".c") || existsSync(outputOf(source));
}

/** @param {string} source */
function outputOf(source) {
  return join(dist, relative(src, source).replace(/\.ts$/, ".js"));
}

/** Removes the output of deleted sources, so that it is neither imported nor served. */
function removeOrphans() {
  const made = new Set(sourceFiles().map(outputOf));
  for (const file of filesIn(dist))
    if (/\.(js|js\.map|html|css|md|svg)$/.test(file) && !made.has(file.replace(/\.map$/, ""))) rmSync(file);
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
