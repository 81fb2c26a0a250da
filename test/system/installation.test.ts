import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findInstallation, npmInstallCommand, npmRebuildCommand } from "../../src/system/installation.js";
import { temporaryFolder } from "../kit/folder.js";

describe("the commands of npm that fit the install", () => {
  it.each([
    ["a checkout", "hearth", "src/main.ts", "--no-save", "npm rebuild better-sqlite3"],
    ["an unpacked package", "hearth", "package.json", "--no-save", "node setup.mjs"],
    [
      "a package of a project",
      "node_modules/hearth",
      "../../package.json",
      "--save",
      "npm rebuild --allow-scripts=hearth hearth",
    ],
    [
      "a package for all users",
      "lib/node_modules/hearth",
      "package.json",
      "--global",
      "npm rebuild --global --allow-scripts=hearth hearth",
    ],
  ])("%s", (_, path, file, option, rebuild) => {
    const folder = join(temporaryFolder(), path);
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "{}");
    const installed = findInstallation(folder);
    expect(npmInstallCommand(["one", "two"], installed)).toBe(`npm install ${option} one two`);
    expect(npmRebuildCommand(installed)).toBe(rebuild);
  });

  it("takes this program for a checkout", () => {
    expect(findInstallation().kind).toBe("checkout");
  });
});
