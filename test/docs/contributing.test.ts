import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../kit/folder.js";
import { filesBeyond, largerTests } from "../kit/sizes.js";
import { missingPaths, pathsOfTasks } from "./task-list.js";

const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

const list = (files: string) =>
  `# A\n\n## Task -> file\n\n- **do \`src/none.ts\`:** ${files}\n\n## B\n\n- **a:** \`src/other.ts\`\n`;

describe("the list of tasks in CONTRIBUTING.md", () => {
  it("names only files and folders that exist", () => {
    expect(pathsOfTasks(contributing).length).toBeGreaterThan(20);
    expect(missingPaths(root, contributing)).toEqual([]);
  });
});

describe("the table of sizes in CONTRIBUTING.md", () => {
  it("has each line of test/kit/sizes.ts, and each line there names tests that exist", () => {
    const rows = [...contributing.matchAll(/^\| (all|nightly) +\| (.*?) +\| (.*?) +\|$/gm)];
    expect(rows.map(([, size, what, why]) => ({ size, what, why }))).toEqual(
      largerTests.map(({ size, what, why }) => ({ size, what, why })),
    );
    const existing = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).map(
      (path) => `test/${path}`,
    );
    const missing = filesBeyond("small").filter(
      (pattern) => !existing.some((path) => matchesGlob(path, pattern)),
    );
    expect(missing).toEqual([]);
  });
});

describe("the check of the list", () => {
  it("reads the paths after a task, and no commands, URLs or names in code", () => {
    const files =
      "`src/a/{b,c}.ts` and `d.ts`, `test/<name>.test.ts`, `npm run x/y`, `/openapi.json`, `docs`, `src/e/`";
    expect(pathsOfTasks(list(files)).map(({ places }) => places)).toEqual([
      ["src/a/b.ts"],
      ["src/a/c.ts"],
      ["d.ts", "src/a/d.ts"],
      ["test/<name>.test.ts"],
      ["src/e/"],
    ]);
  });

  it("finds what does not exist, and lets a placeholder stand for any one name", () => {
    const files =
      "`src/main.ts`, `src/dialects/<name>/{schema,parse,encode}.ts`, `src/<name>/nothing.ts`, `test/lost/`, `package.json`, `src/app/app.ts`, `engines.ts`, `lost.ts`";
    expect(missingPaths(root, list(files))).toEqual(["src/<name>/nothing.ts", "test/lost/", "lost.ts"]);
  });
});
