/**
 * Builds src/ into dist/: bundles the program (build/bundle.mjs) and the console (build/console.mjs), compiles the C and C++ files of the engine and copies the parts of web
 * pages (HTML, CSS, JavaScript), the guides (Markdown), their pictures (SVG), and the schema of the database (SQL). tsc checks the types.
 * `--if-stale` returns at once when dist/ is up to date. `--unchecked` does not check types, for a caller that checks them itself.
 *
 * dist/.built holds the names of what was written and a fingerprint of the sources (path, size, modification time), taken before
 * the build and written only after success. A lock prevents concurrent builds. Exit codes: 0 built or up to date, 1 the build failed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundle, collectLicenses } from "./build/bundle.mjs";
import { bundleConsole } from "./build/console.mjs";
import { buildMedia, mediaLibrary } from "./build/media.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const consoleFolder = join(src, "console") + sep;
const dist = join(root, "dist");
const stamp = join(dist, ".built");
const lock = join(dist, ".building");
const isChecked = !process.argv.includes("--unchecked");
const lockWaitMsMax = 300_000;
const separator = "\n\n";
const manPage = join(dist, "man", "hearth.1");
const licensesFile = "third-party-licenses.txt";

process.exitCode = await main(process.argv.includes("--if-stale"));

/** @param {boolean} onlyIfStale */
async function main(onlyIfStale) {
  if (onlyIfStale && isFresh()) return 0;
  mkdirSync(dist, { recursive: true });
  await takeLock();
  try {
    return onlyIfStale && isFresh() ? 0 : await build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isFresh() {
  if (!existsSync(stamp)) return false;
  const [written = "", ...outputs] = readFileSync(stamp, "utf8").split(separator);
  return written === fingerprint() && outputs.every((name) => existsSync(join(dist, name)));
}

async function build() {
  const before = fingerprint();
  const [areTypesRight, program, console] = await Promise.all([
    isChecked ? checkTypes() : true,
    bundle(root, sources()),
    bundleConsole(root),
    buildMedia(),
  ]);
  if (program === null || console === null) return fail("the bundler found errors (above)");
  const licenses = collectLicenses(root, [...program.inputs, ...console.inputs]);
  const outputs = new Map([...program.outputs, ...console.outputs, [join(dist, licensesFile), licenses]]);
  const main = join(dist, "main.js");
  if (program.outputs.get(main)?.startsWith("#!") === false)
    return fail("src/main.ts must begin with #!/usr/bin/env node");
  removeOrphans([...outputs.keys(), ...copiedFiles().map(nameOutput), mediaLibrary, manPage]);
  for (const [file, content] of outputs) write(file, content);
  for (const file of copiedFiles()) write(nameOutput(file), readFileSync(file));
  if (existsSync(main)) chmodSync(main, 0o755);
  for (const file of nativeSources().filter((file) => file.endsWith(".c"))) compile(file);
  if (!areTypesRight) return fail("tsc found errors (above)");
  writeManPage(main);
  const names = [...outputs.keys(), ...copiedFiles().map(nameOutput)].map((file) => relative(dist, file));
  writeFileSync(stamp, [before, ...names].join(separator));
  return 0;
}

async function checkTypes() {
  const compiler = createRequire(import.meta.url).resolve("typescript7/package.json");
  const tsc = join(dirname(compiler), "bin", "tsc");
  const args = [tsc, "-p", join(root, "tsconfig.json"), "--noEmit"];
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio: "inherit" }), "exit");
  return status === 0;
}

/**
 * Leaves a file alone that is the same, which a running server may be reading.
 * @param {string} file
 * @param {string | Uint8Array} content
 */
function write(file, content) {
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/**
 * Compiles a C file to a library in dist/native/. Without a compiler, or on another system than Linux, the program does without it.
 * @param {string} source
 */
function compile(source) {
  if (process.platform !== "linux") return;
  const library = join(dist, "native", `${basename(source, ".c")}.node`);
  mkdirSync(dirname(library), { recursive: true });
  const options = ["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-fexceptions", "-pthread"];
  // A process may have loaded the library that is replaced.
  const made = `${library}.${process.pid}`;
  spawnSync(process.env["CC"] ?? "cc", [...options, "-o", made, source, "-ldl"], { stdio: "ignore" });
  if (existsSync(made)) renameSync(made, library);
}

/** The manual page is made of the commands. @param {string} main */
function writeManPage(main) {
  if (!existsSync(join(src, "cli", "man-page.ts"))) return;
  const { status, stdout } = spawnSync(process.execPath, [main, "man"], { encoding: "utf8" });
  if (status === 0) write(manPage, stdout);
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
  const settings = ["package.json", "package-lock.json", "tsconfig.json"].map((name) => join(root, name));
  const scripts = [
    fileURLToPath(import.meta.url),
    ...["build/bundle.mjs", "build/console.mjs", "build/media.mjs"].map((name) =>
      fileURLToPath(new URL(name, import.meta.url)),
    ),
  ];
  return [
    ...settings.filter((file) => existsSync(file)),
    ...scripts,
    ...sources(),
    ...consoleSources(),
    ...nativeSources(),
    ...copiedFiles(),
  ]
    .map((file) => [relative(root, file), statSync(file).size, statSync(file).mtimeMs].join(" "))
    .join("\n");
}

function nativeSources() {
  return filesIn(src).filter((file) => /\.(c|h|cpp)$/.test(file));
}

function sources() {
  return filesIn(src).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.startsWith(consoleFolder),
  );
}

function consoleSources() {
  return filesIn(src).filter((file) => file.startsWith(consoleFolder));
}

/** Files that are copied: they are served to browsers or rendered for them, or they create the database. */
function copiedFiles() {
  return filesIn(src).filter(
    (file) => /\.(html|css|js|md|sql|svg)$/.test(file) && !file.startsWith(consoleFolder),
  );
}

/** @param {string} part */
function nameOutput(part) {
  return join(dist, relative(src, part));
}

/**
 * Removes what earlier builds wrote, so that it is neither imported nor served.
 * @param {string[]} kept
 */
function removeOrphans(kept) {
  const made = new Set(kept);
  for (const file of filesIn(dist))
    if (!made.has(file) && !relative(dist, file).startsWith(".")) rmSync(file);
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
