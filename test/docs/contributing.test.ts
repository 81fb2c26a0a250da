import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { plantFiles, root } from "../kit/folder.js";
import { filesBeyond, largerTests } from "../kit/sizes.js";
import { findMissingPaths, readNamedPaths } from "./named-paths.js";

const contributingBytesMax = 8_000;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const folders = readdirSync(join(root, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `src/${entry.name}`);

describe("the texts for engineers", () => {
  it("name only files and folders that exist", () => {
    const texts = [
      "CONTRIBUTING.md",
      "src/docs/testing.md",
      "src/docs/architecture.md",
      ...folders.map((folder) => `${folder}/README.md`),
    ];
    // The architecture guide names paths of src without `src/`.
    const below = new RegExp(
      `\`(?=(${folders.map((folder) => folder.slice("src/".length)).join("|")})/)`,
      "g",
    );
    const missing = texts.flatMap((path) =>
      findMissingPaths(root, read(path).replace(below, "`src/")).map((named) => `${path}: ${named}`),
    );
    expect(readNamedPaths(read("CONTRIBUTING.md")).length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it("say of each folder of src what it is, in its README.md", () => {
    expect(folders.filter((folder) => !existsSync(join(root, folder, "README.md")))).toEqual([]);
  });

  it(`have a CONTRIBUTING.md of at most ${contributingBytesMax} bytes`, () => {
    expect(Buffer.byteLength(read("CONTRIBUTING.md"))).toBeLessThanOrEqual(contributingBytesMax);
  });
});

describe("the table of sizes in the guide to testing", () => {
  it("has each line of test/kit/sizes.ts, and each line there names tests that exist", () => {
    const rows = [...read("src/docs/testing.md").matchAll(/^\| (all|nightly) +\| (.*?) +\| (.*?) +\|$/gm)];
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

describe("the check of paths", () => {
  it("reads paths from the root, and no commands, URLs or names in code", () => {
    const text =
      "`src/a/{b,c}.ts` `d.ts` `test/<name>.test.ts` `npm run src/x` `/openapi.json` `docs` `src/e/` src/f.ts";
    expect(readNamedPaths(text)).toEqual(["src/a/b.ts", "src/a/c.ts", "test/<name>.test.ts", "src/e/"]);
  });

  it("finds what does not exist, and lets a placeholder stand for any one name", () => {
    const planted = plantFiles({ "src/one/a.ts": "", "src/one/b.ts": "", "src/main.ts": "" });
    const text = "`src/main.ts` `src/<name>/{a,b}.ts` `src/one/` `src/<name>/c.ts` `test/lost/` `src/b.ts`";
    expect(findMissingPaths(planted, text)).toEqual(["src/<name>/c.ts", "test/lost/", "src/b.ts"]);
  });
});
