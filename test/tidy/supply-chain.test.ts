import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { root } from "../kit/folder.js";

const entry = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), entry) });
const manifest = z.object({
  scripts: z.record(z.string(), z.string()),
  allowScripts: z.record(z.string(), z.boolean()),
  overrides: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

const installedManifest = z.object({ scripts: z.record(z.string(), z.string()).optional() });

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const lock = lockFile.parse(readJson("package-lock.json"));
const own = manifest.parse(readJson("package.json"));
/** Every installed package, by its folder. */
const installed = Object.entries(lock.packages).filter(([folder]) => folder !== "");

/** Returns the name that a package is installed under. */
function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Returns whether the package on the disk has a script that npm could run at install; false where it is not installed here. */
function hasInstallScript(folder: string): boolean {
  if (!existsSync(join(root, folder, "package.json"))) return false;
  const { scripts = {} } = installedManifest.parse(readJson(join(folder, "package.json")));
  return ["preinstall", "install", "postinstall"].some((name) => scripts[name] !== undefined);
}

/** Returns whether Node.js would find the package from a folder. */
function isLocked(folder: string, name: string): boolean {
  if (lock.packages[join(folder, "node_modules", name)] !== undefined) return true;
  if (folder === "") return false;
  const end = folder.lastIndexOf("/node_modules/");
  return isLocked(end < 0 ? "" : folder.slice(0, end), name);
}

describe("E18: the packages that are installed", () => {
  it("are those whose hash is in the lock file, every one of them", () => {
    expect(installed.length).toBeGreaterThan(100);
    const unverified = installed.filter(
      ([, { integrity = "", link = false }]) => link || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    );
    expect(unverified.map(([folder]) => folder)).toEqual([]);
  });

  it("come from the configured registry: no entry names a host, a file, a fork or a link", () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([folder]) => folder)).toEqual(
      [],
    );
    // npm writes the addresses otherwise.
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });

  it("are pinned to one version each", () => {
    const ranges = Object.entries({ ...own.dependencies, ...own.devDependencies });
    expect(
      ranges.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    ).toEqual([]);
  });

  it("run no script at install, in any version of npm, but the one that is allowed by name; `node scripts/lock.mjs` sees to it", () => {
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(withScript.map(([folder]) => folder)).toEqual(["node_modules/better-sqlite3"]);
    expect(Object.entries(own.allowScripts).filter(([, allows]) => allows)).toEqual([
      ["better-sqlite3", true],
    ]);
  });

  it("have no install script that package.json neither allows nor forbids", () => {
    const withScript = installed.map(([folder]) => folder).filter(hasInstallScript);
    expect(withScript).toContain("node_modules/better-sqlite3");
    expect(withScript.map(nameOf).filter((name) => own.allowScripts[name] === undefined)).toEqual([]);
  });

  it("include no program that downloads a compiled SQLite: better-sqlite3 can only compile it", () => {
    const skipped = Object.entries(own.overrides).map(([name, spec]) => [name, spec.replace(/@[\d.]+$/, "")]);
    expect(skipped).toEqual([
      ["onnxruntime-web", "npm:@favware/skip-dependency"],
      ["prebuild-install", "npm:@favware/skip-dependency"],
    ]);
    const downloaders = installed.filter(
      ([folder, { name = nameOf(folder) }]) => name === "prebuild-install" || name === "node-pre-gyp",
    );
    expect(downloaders).toEqual([]);
  });

  it("include no binaries for CUDA, which are installed on request; `node scripts/lock.mjs` sees to it", () => {
    const named = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(named).toContain("@node-llama-cpp/linux-x64-vulkan");
    expect(
      [...named, ...installed.map(([folder]) => folder)].filter((name) => name.includes("-cuda")),
    ).toEqual([]);
  });

  it("are in the lock file for every platform, because `npm ci` stops where an optional one is missing", () => {
    const missing = Object.entries(lock.packages).flatMap(([folder, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(folder, name)),
    );
    expect(missing).toEqual([]);
  });

  it("are all that is fetched: Hearth has no install script of its own and never calls a package manager", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(Object.keys(own.scripts).filter((name) => hooks.includes(name))).toEqual([]);
    expect(
      Object.values(own.scripts).filter((script) => /\b(npx|npm (i|install|ci)|curl|wget)\b/.test(script)),
    ).toEqual([]);
  });
});
