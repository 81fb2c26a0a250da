/**
 * The folder that is packed: the program, and in node_modules what it does not have in its own files, without what no server needs.
 * npm reads neither `overrides` nor the lock file of a package that it installs. So everything that is written in JavaScript is part of the
 * package, and its package.json names the libraries of each platform alone, in the versions of the lock file.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unbundled } from "../build/bundle.mjs";
import { filesIn, isNeverLoaded, isUnusedPart } from "../slim-removals.mjs";

/**
 * @typedef {{
 *   name?: string, version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[],
 *   dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 * }} Entry of a lock file
 * @typedef {Record<string, Entry>} Packages by folder
 */

/** What package.json of the package has of the checkout's. */
const described = ["name", "version", "description", "keywords", "license", "type", "engines", "bin"];

const systems = ["linux", "darwin", "win32"];

/**
 * ONNX Runtime has one package for all platforms, and the setup removes the libraries of the others. What is left out:
 * DirectML and WebGPU, which Hearth does not use, and a second copy of a library.
 */
const unusedLibraries = /\/(DirectML|dxcompiler|dxil)\.dll$|\/libonnxruntime\.\d+\.\d+\.\d+\.dylib$/;

/**
 * Writes the package into an empty folder.
 * @param {string} root the checkout, which is built
 * @param {string} folder
 */
export function stagePackage(root, folder) {
  const manifest = readJson(join(root, "package.json"));
  /** @type {{ packages: Packages }} */
  const { packages } = readJson(join(root, "package-lock.json"));
  const inside = closePackages(packages);
  for (const part of [...manifest.files, "README.md", "LICENSE"]) copyPart(root, folder, part);
  cpSync(join(root, "scripts/release/setup.mjs"), join(folder, "setup.mjs"));
  for (const path of inside) copyPackage(root, folder, path, inside);
  const content = JSON.stringify(toManifest(manifest, packages, inside), null, 2);
  writeFileSync(join(folder, "package.json"), `${content}\n`);
}

/**
 * Returns the folders of the packages that the program loads from node_modules, and of what these depend on, besides the libraries of
 * platforms.
 * @param {Packages} packages
 */
function closePackages(packages) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {(name: string, from: string) => void} */
  const add = (name, from) => {
    const path = resolve(packages, name, from);
    const entry = path === null ? undefined : packages[path];
    if (path === null || entry === undefined || found.has(path) || isLeftOut(name, entry)) return;
    found.add(path);
    for (const each of Object.keys(entry.dependencies ?? {})) add(each, path);
  };
  for (const name of unbundled) add(name, "");
  return [...found].toSorted();
}

/** @param {string} name @param {Entry} entry */
function isLeftOut(name, entry) {
  return entry.optional === true || isNeverLoaded(name);
}

/**
 * Returns the folder that Node.js finds a package in.
 * @param {Packages} packages
 * @param {string} name
 * @param {string} from folder of the package that depends on it
 */
function resolve(packages, name, from) {
  for (let at = from; ; at = dirname(at).replace(/^\.$/, "")) {
    const path = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (at === "") return null;
  }
}

/**
 * @param {Record<string, unknown>} manifest of the checkout
 * @param {Packages} packages
 * @param {readonly string[]} inside folders of the packages that are part of it
 */
function toManifest(manifest, packages, inside) {
  const bundled = inside.filter((path) => path.lastIndexOf("node_modules/") === 0);
  const versions = bundled.map((path) => [nameOf(path), packages[path]?.version ?? ""]);
  return {
    ...Object.fromEntries(described.map((name) => [name, manifest[name]])),
    man: ["dist/man/hearth.1"],
    scripts: { install: "node setup.mjs" },
    dependencies: Object.fromEntries(versions),
    bundleDependencies: bundled.map(nameOf),
    optionalDependencies: findPlatformLibraries(packages),
  };
}

/** Returns the libraries of all platforms, for which npm chooses by their manifests. @param {Packages} packages */
function findPlatformLibraries(packages) {
  const found = Object.entries(packages).filter(
    ([path, { os = [], cpu = [] }]) =>
      /^node_modules\/(@node-llama-cpp|@img)\//.test(path) &&
      os.some((name) => systems.includes(name)) &&
      !cpu.includes("wasm32"),
  );
  return Object.fromEntries(found.map(([path, { version = "" }]) => [nameOf(path), version]));
}

/** @param {string} path */
function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** @param {string} root @param {string} folder @param {string} part an entry of `files` in package.json */
function copyPart(root, folder, part) {
  if (part.startsWith("!") || !existsSync(join(root, part))) return;
  // What the build remembers begins with a dot.
  cpSync(join(root, part), join(folder, part), {
    recursive: true,
    filter: (path) => !/^[.]/.test(path.slice(join(root, part).length + 1)),
  });
}

/**
 * Copies a package without what no server needs.
 * @param {string} root
 * @param {string} folder
 * @param {string} path of the package, from the root
 * @param {readonly string[]} inside
 */
function copyPackage(root, folder, path, inside) {
  const name = nameOf(path);
  for (const file of filesIn(root, path)) {
    const part = file.slice(path.length + 1);
    if (isLeftOutOfPackage(name, part)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const file = join(folder, path, "package.json");
  writeFileSync(file, `${JSON.stringify(toBundledManifest(readJson(file), path, inside), null, 2)}\n`);
}

/** @param {string} name @param {string} part path of a file inside the package */
function isLeftOutOfPackage(name, part) {
  if (name === "onnxruntime-node" && part.startsWith("bin/")) return unusedLibraries.test(part);
  // It is compiled where the package is installed.
  if (name === "better-sqlite3" && /^(build|deps|src)\//.test(part)) return part.startsWith("build/");
  return isUnusedPart(name, part);
}

/**
 * Returns a package.json that asks npm neither for packages that are left out nor to run a script.
 * @param {Record<string, unknown> & { dependencies?: Record<string, string> }} manifest
 * @param {string} path
 * @param {readonly string[]} inside
 */
function toBundledManifest(manifest, path, inside) {
  const {
    scripts: _,
    devDependencies: __,
    optionalDependencies: ___,
    peerDependencies: ____,
    ...kept
  } = manifest;
  const { files: _____, bundleDependencies: ______, dependencies = {}, ...rest } = kept;
  const present = /** @type {Packages} */ (Object.fromEntries(inside.map((each) => [each, {}])));
  const stays = Object.entries(dependencies).filter(([name]) => resolve(present, name, path) !== null);
  return { ...rest, dependencies: Object.fromEntries(stays), gypfile: false };
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
