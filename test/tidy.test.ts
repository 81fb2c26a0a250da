/**
 * The repository, held to the rules of CONTRIBUTING.md that neither the linter nor the step `imports` can state. Each rule is a
 * function of a root folder, so that a test can plant what it must find.
 */
import { describe, expect, it } from "vitest";
import { plantFiles, root } from "./kit/folder.js";
import { findRouteViolations } from "./tidy/routes.js";
import { findDoubleNames } from "./tidy/names.js";
import {
  findCrowdedFolders,
  findLongPython,
  folderFilesMax,
  countExportsPerThousandLines,
} from "./tidy/sizes.js";
import { findStalePatterns } from "./tidy/test-lists.js";
import { findBookishPhrases, findEmptyNames, findPrivateWords, findUnfinished } from "./tidy/wording.js";

describe("the repository", () => {
  it("rule 1: declares each route once, in the folder of its plane", () => {
    expect(findRouteViolations(root)).toEqual([]);
  });

  it("rule 13: has no folder with more than 20 files, and no file in Python with more than 400 lines", () => {
    expect([...findCrowdedFolders(root), ...findLongPython(root)]).toEqual([]);
  });

  it("rule 13: exports at most 31 names for each 1,000 lines", () => {
    expect(countExportsPerThousandLines(root)).toBeLessThanOrEqual(31);
  });

  it("rule 15: exports no name from two files of src/", () => {
    expect(findDoubleNames(root)).toEqual([]);
  });

  it("names no test that does not exist in the lists of the second database and of the sizes", () => {
    expect(findStalePatterns(root)).toEqual([]);
  });

  it("rule 15: says what programs do in standard words", () => {
    const found = findPrivateWords(root);
    // A message that clients know, and a sentence of the training.
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(2);
  });

  it("rule 15: has guides and comments without whom, that of, for ever and their like", () => {
    expect(findBookishPhrases(root)).toEqual([]);
  });

  it("has no comment about work left to do, nothing that a merge has left, and no empty name such as utils", () => {
    expect([...findUnfinished(root), ...findEmptyNames(root)]).toEqual([]);
  });
});

it("each of these rules finds what is planted", () => {
  const declare = (url: string): string =>
    `export const get = apiKeyRoute({ method: "GET", path: "${url}" });\n`;
  const promise = ["TO", "DO"].join("");
  const comments = [
    ["//", "Of a key"].join(" "),
    "* not those of a team.",
    "-- Rows are looked at.",
    "# Those of settings.",
  ];
  const planted = plantFiles({
    "src/http/inference/models/models.ts": "/** Whoever asks is told; it is retold. */\n",
    "src/http/server/secret.ts": declare("/v1/secret"),
    "src/http/inference/a.ts": declare("/v1/a"),
    "src/http/ollama/b.ts": declare("/v1/a"),
    "src/http/management/keys/team-keys.ts": "\n\n",
    "src/docs/a.md": "> A quotation.\n> > > > > > > main (a commit)\n",
    "src/docs/b.md": "The key is that of a team, for ever.\n",
    "src/store/d.sql": `select 1; ${comments[2]}\n`,
    "packaging/e.yaml": `a: 1 ${comments[3]}\n`,
    "src/c.ts": `export const c = "those of"; ${comments[0]}\n/** The limits,\n ${comments[1]} */\n`,
    "scripts/helpers.mjs": "",
    "vitest.config.ts": 'const both = ["test/{crowded,gone}/f0.ts", "test/gone/**/*.ts"];\n',
    "scripts/long.py": `# ${promise}: less\n${"x = 1\n".repeat(400)}`,
    ...Object.fromEntries(
      Array.from({ length: folderFilesMax + 1 }, (_, index) => [`test/crowded/f${index}.ts`, ""]),
    ),
  });
  expect(findRouteViolations(planted)).toEqual([
    "src/http/ollama/b.ts and src/http/inference/a.ts declare GET /v1/a",
    "src/http/server/secret.ts declares GET /v1/secret outside the planes of src/http",
  ]);
  expect(findDoubleNames(planted)).toEqual([
    "get: src/http/inference/a.ts, src/http/ollama/b.ts, src/http/server/secret.ts",
  ]);
  expect(findCrowdedFolders(planted)).toEqual(["test/crowded: 21"]);
  expect(findStalePatterns(planted)).toEqual(
    expect.arrayContaining(["test/gone/f0.ts", "test/gone/**/*.ts", "test/store/postgres/**"]),
  );
  expect(findStalePatterns(planted)).not.toContain("test/crowded/f0.ts");
  expect(findLongPython(planted)).toEqual(["scripts/long.py: 401"]);
  expect(findPrivateWords(planted)).toEqual([
    "src/http/inference/models/models.ts:1: /** Whoever asks is told; it is retold. */",
  ]);
  expect(findBookishPhrases(planted)).toEqual([
    "src/docs/b.md:1: The key is that of a team, for ever.",
    `src/c.ts:1: ${comments[0]}`,
    `src/c.ts:3: ${comments[1]} */`,
    `src/store/d.sql:1: ${comments[2]}`,
    `packaging/e.yaml:1: ${comments[3]}`,
  ]);
  expect(findUnfinished(planted)).toEqual([
    `scripts/long.py:1: # ${promise}: less`,
    "src/docs/a.md:2: > > > > > > > main (a commit)",
  ]);
  expect(findEmptyNames(planted)).toEqual(["scripts/helpers.mjs"]);
});
