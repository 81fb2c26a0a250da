import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { root } from "../harness.js";

const entry = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
const lockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), entry) });
const manifest = z.object({
  scripts: z.record(z.string(), z.string()),
  allowScripts: z.record(z.string(), z.boolean()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const lock = lockFile.parse(readJson("package-lock.json"));
const own = manifest.parse(readJson("package.json"));
/** Every installed package, by its folder. */
const installed = Object.entries(lock.packages).filter(([folder]) => folder !== "");

/** Returns the packages of a lock file whose content npm could not verify, by folder. */
function unverified(packages: readonly (readonly [string, z.infer<typeof entry>])[]): readonly string[] {
  return packages
    .filter(([, { integrity = "", link = false }]) => link || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    .map(([folder]) => folder);
}

describe("E18: the packages that are installed", () => {
  it("are those whose hash is in the lock file, every one of them", () => {
    expect(installed.length).toBeGreaterThan(100);
    expect(unverified(installed)).toEqual([]);
  });

  it("come from the configured registry: no entry names a host, a file, a fork or a link", () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([folder]) => folder)).toEqual(
      [],
    );
  });

  it("are pinned to one version each", () => {
    const ranges = Object.entries({ ...own.dependencies, ...own.devDependencies });
    expect(
      ranges.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    ).toEqual([]);
  });

  it("run no script at install that is not allowed by name, and the one that is compiles and downloads nothing", () => {
    const withScript = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([folder]) => folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length));
    expect([...new Set(withScript)].toSorted()).toEqual(Object.keys(own.allowScripts).toSorted());
    const allowed = Object.entries(own.allowScripts).filter(([, allows]) => allows);
    expect(allowed).toEqual([["better-sqlite3", true]]);
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^build-from-source=true$/m);
  });

  it("are all that is fetched: Hearth has no install script of its own and never calls a package manager", () => {
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(Object.keys(own.scripts).filter((name) => hooks.includes(name))).toEqual([]);
    expect(
      Object.values(own.scripts).filter((script) => /\b(npx|npm (i|install|ci)|curl|wget)\b/.test(script)),
    ).toEqual([]);
  });

  it.each([
    ["without a hash", {}],
    ["with a weak hash", { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
    ["that is a link", { integrity: `sha512-${"A".repeat(86)}==`, link: true }],
  ])("would not include one %s", (_, bad) => {
    expect(unverified([["node_modules/bad", bad]])).toEqual(["node_modules/bad"]);
  });
});
