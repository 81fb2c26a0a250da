/**
 * The install script of the package, which npm runs in the package's folder: compiles SQLite, and removes the libraries of other platforms.
 * `npm rebuild` runs it again, after an update of Node.js. It downloads nothing where the header files of Node.js are beside Node.js, as its
 * archives and containers have them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const sqlite = join(folder, "node_modules", "better-sqlite3");
const { platform, arch, execPath, env, version } = process;

removeForeignLibraries(join(folder, "node_modules", "onnxruntime-node", "bin"));
process.exitCode = compileSqlite();

/** @param {string} bin has a folder for each interface, in it one for each platform, in it one for each kind of processor */
function removeForeignLibraries(bin) {
  for (const platforms of pathsIn(bin))
    for (const processors of pathsIn(platforms))
      for (const libraries of pathsIn(processors))
        if (!libraries.endsWith(join(platform, arch))) rmSync(libraries, { recursive: true });
}

/** @param {string} parent */
function pathsIn(parent) {
  return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
}

/** @returns {number} the exit code */
function compileSqlite() {
  const args = ["rebuild", "--release", ...headerFiles()];
  const tool = env["npm_config_node_gyp"];
  // Without npm's own, the one in PATH, which is a script on Windows.
  const { status, stdout, stderr } =
    tool === undefined
      ? spawnSync("node-gyp", args, { cwd: sqlite, encoding: "utf8", shell: platform === "win32" })
      : spawnSync(execPath, [tool, ...args], { cwd: sqlite, encoding: "utf8" });
  const library = join(sqlite, "build", "Release", "better_sqlite3.node");
  if (status !== 0 || !existsSync(library)) {
    process.stderr.write(`${stdout ?? ""}${stderr ?? ""}
Hearth: SQLite could not be compiled. It needs python3, make and a C++ compiler (Debian: apt install python3 make g++; macOS:
xcode-select --install; Windows: Visual Studio Build Tools), and the header files of Node.js: without internet, name the folder that has
them in include/node, such as npm_config_nodedir=/usr. Then install again.
`);
    return 1;
  }
  for (const path of [...pathsIn(join(sqlite, "build")), ...pathsIn(dirname(library))])
    if (path !== dirname(library) && path !== library) rmSync(path, { recursive: true });
  return 0;
}

/** Names the header files beside Node.js, unless the environment names others. */
function headerFiles() {
  const prefix = dirname(dirname(execPath));
  const file = join(prefix, "include", "node", "node_version.h");
  if (env["npm_config_nodedir"] !== undefined || !existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const parts = ["MAJOR", "MINOR", "PATCH"].map(
    (part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1],
  );
  return `v${parts.join(".")}` === version ? [`--nodedir=${prefix}`] : [];
}
