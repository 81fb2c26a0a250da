import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import {
  hashSources,
  hasPassed,
  keepPassed,
  keepSmallTests,
  takeSmallTests,
} from "../../scripts/check/passed.mjs";
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

it("tests that have passed are left out once, on the same sources and with the same settings only", () => {
  const root = plantFiles({});
  const tests = { files: ["test/a.test.ts", "test/b.test.ts"], passed: 7 };
  expect(takeSmallTests(root, "x").files).toEqual([]);
  keepSmallTests(root, "x", tests);
  expect(takeSmallTests(root, "x")).toMatchObject(tests);
  expect(takeSmallTests(root, "x")).toMatchObject({ files: [], passed: 0 });
  keepSmallTests(root, "x", tests);
  expect(takeSmallTests(root, "y")).toMatchObject({ files: [], passed: 0 });
  vi.stubEnv("TEST_SEED", "3");
  keepSmallTests(root, "x", tests);
  vi.stubEnv("TEST_SEED", "4");
  expect(takeSmallTests(root, "x")).toMatchObject({ files: [], passed: 0 });
  writeFileSync(join(root, "node_modules/.cache/hearth-check/small-tests.json"), '{"key":');
  expect(takeSmallTests(root, "x")).toMatchObject({ files: [], passed: 0 });
  vi.unstubAllEnvs();
});
