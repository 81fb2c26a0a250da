/**
 * The house, held to its own rules. Each rule is a function over a root folder (test/tidy/), asked here of this repository,
 * where it must find nothing; the tests beside the rules plant violations and ask that each is found.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importViolations } from "./tidy/imports.js";
import { machineViolations } from "./tidy/machine.js";
import { ratchetViolations, type Ratchet } from "./tidy/ratchet.js";
import { routeViolations } from "./tidy/routes.js";
import {
  crowdedFolders,
  fileLines,
  fileSpread,
  functionLines,
  functionLinesMax,
  sizeLimits,
} from "./tidy/sizes.js";
import {
  defaultExportViolations,
  nameViolations,
  promiseViolations,
  skippedTestViolations,
} from "./tidy/wording.js";

const house = fileURLToPath(new URL("..", import.meta.url));
const recorded = JSON.parse(readFileSync(new URL("tidy-ratchet.json", import.meta.url), "utf8")) as {
  fileLines: Ratchet;
  functionLines: Ratchet;
};

describe("the house", () => {
  it("rule 1: every file of http/v1, http/auth and http/audit is named as the URL it serves, and every such route has its file", () => {
    expect(routeViolations(house)).toEqual([]);
  });

  it("rule 6: no import cycle and no arrow upward", async () => {
    expect(await importViolations(house)).toEqual([]);
  });

  it("rule 21: time, chance and environment are asked for only in their own files", () => {
    expect(machineViolations(house)).toEqual([]);
  });

  it("rule 23: no file has more than 300 lines", () => {
    expect(ratchetViolations(fileLines(house), sizeLimits.file, recorded.fileLines)).toEqual([]);
  });

  it("rule 23: no function has 50 lines or more", () => {
    const found = ratchetViolations(
      functionLines(house),
      sizeLimits.function,
      recorded.functionLines,
      functionLinesMax,
    );
    expect(found).toEqual([]);
  });

  it("rule 23: the median file of src is small and nine of ten have at most 200 lines", () => {
    const { fileMedian, fileP90 } = fileSpread(house);
    expect(fileMedian).toBeLessThanOrEqual(sizeLimits.fileMedian);
    expect(fileP90).toBeLessThanOrEqual(sizeLimits.fileP90);
  });

  it("rule 16: no folder of src or test has more than 20 files", () => {
    expect(crowdedFolders(house)).toEqual([]);
  });

  it("rule 23: no file or folder is named for nothing", () => {
    expect(nameViolations(house)).toEqual([]);
  });

  it("exports nothing as default", () => {
    expect(defaultExportViolations(house)).toEqual([]);
  });

  it("leaves no work as a note", () => {
    expect(promiseViolations(house)).toEqual([]);
  });

  it("switches no test off", () => {
    expect(skippedTestViolations(house)).toEqual([]);
  });
});
