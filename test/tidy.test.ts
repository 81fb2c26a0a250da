/** The repository, held to the rules of CONTRIBUTING.md. Each rule is a function of a root folder (test/tidy/) with tests of its own. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { machineViolations } from "./tidy/machine.js";
import { ratchetViolations, type Ratchet } from "./tidy/ratchet.js";
import { readViolations } from "./tidy/reads.js";
import { routeViolations } from "./tidy/routes.js";
import { composedStatements } from "./tidy/sql.js";
import {
  crowdedFolders,
  fileLines,
  fileSpread,
  functionLines,
  functionLinesMax,
  sizeLimits,
} from "./tidy/sizes.js";
import { privateWords, privateWordsMax } from "./tidy/language.js";
import {
  defaultExportViolations,
  mergeViolations,
  nameViolations,
  promiseViolations,
  skippedTestViolations,
} from "./tidy/wording.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const recorded = JSON.parse(readFileSync(new URL("tidy-ratchet.json", import.meta.url), "utf8")) as {
  fileLines: Ratchet;
  functionLines: Ratchet;
};

describe("the repository", () => {
  it("rule 1: has a file for every route under /v1, /auth and /audit, named as its URL, and no other file there", () => {
    expect(routeViolations(root)).toEqual([]);
  });

  it("rule 9: reads time, randomness and the environment in their own files only", () => {
    expect(machineViolations(root)).toEqual([]);
  });

  it("C12: reads files that somebody else can replace through one helper only", () => {
    expect(readViolations(root)).toEqual([]);
  });

  it("E3: puts statements of SQL together as texts in named files only", () => {
    expect(composedStatements(root)).toEqual([]);
  });

  it("rule 13: has no file with more than 300 lines", () => {
    expect(ratchetViolations(fileLines(root), sizeLimits.file, recorded.fileLines)).toEqual([]);
  });

  it("rule 13: has no function with 50 lines or more", () => {
    const found = ratchetViolations(
      functionLines(root),
      sizeLimits.function,
      recorded.functionLines,
      functionLinesMax,
    );
    expect(found).toEqual([]);
  });

  it("rule 13: has files of at most 80 lines by median, and nine of ten with at most 200", () => {
    const { fileMedian, fileP90 } = fileSpread(root);
    expect(fileMedian).toBeLessThanOrEqual(sizeLimits.fileMedian);
    expect(fileP90).toBeLessThanOrEqual(sizeLimits.fileP90);
  });

  it("rule 13: has no folder in src or test with more than 20 files", () => {
    expect(crowdedFolders(root)).toEqual([]);
  });

  it("names no file or folder with an empty word such as utils", () => {
    expect(nameViolations(root)).toEqual([]);
  });

  it("exports nothing as default", () => {
    expect(defaultExportViolations(root)).toEqual([]);
  });

  it("has no comments about work that is left to do", () => {
    expect(promiseViolations(root)).toEqual([]);
  });

  it("has nothing that a merge has left", () => {
    expect(mergeViolations(root)).toEqual([]);
  });

  it("skips no test", () => {
    expect(skippedTestViolations(root)).toEqual([]);
  });

  it("rule 15: says what programs do in standard words, and tells only where a person tells", () => {
    const found = privateWords(root);
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(privateWordsMax);
  });
});
