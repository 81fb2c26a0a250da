import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashSources, hasPassed, keepPassed } from "../../scripts/check/passed.mjs";
import { plantFiles } from "../kit/folder.js";

it("a step has passed on the sources as they are, until a file, an untracked one too, or an installed package changes", () => {
  const root = plantFiles({ "a.ts": "1", ".gitignore": "node_modules\nkept\n", kept: "1" });
  expect(hashSources(root)).toBeNull();
  execFileSync("git", ["init", "-q"], { cwd: root });
  const sources = hashSources(root) ?? "";
  expect(hasPassed(root, "lint", sources)).toBe(false);
  keepPassed(root, "lint", sources);
  writeFileSync(join(root, "kept"), "2");
  expect(hashSources(root)).toBe(sources);
  expect([hasPassed(root, "lint", sources), hasPassed(root, "types", sources)]).toEqual([true, false]);
  const changes = [
    () => writeFileSync(join(root, "a.ts"), "2"),
    () => writeFileSync(join(root, "b.ts"), "1"),
    () => writeFileSync(join(root, "node_modules/.package-lock.json"), "{}"),
    () => rmSync(join(root, "a.ts")),
  ];
  const hashes = changes.map((change) => (change(), hashSources(root)));
  expect(new Set([sources, ...hashes]).size).toBe(changes.length + 1);
});
