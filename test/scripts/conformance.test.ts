import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testedClients } from "../../scripts/qa/conformance/tested-clients.js";
import { root } from "../kit/folder.js";

it("every flow of a client that tests run names a file of tests, and begins with a word of it", () => {
  const flows = testedClients.flatMap(({ name, flows: ofClient }) =>
    Object.entries(ofClient).map(([flow, tests]) => ({ flow: `${name}: ${flow}`, ...tests })),
  );
  expect(flows.length).toBeGreaterThan(20);
  const missing = flows.filter(({ file }) => !existsSync(join(root, "test", `${file}.test.ts`)));
  expect(missing).toEqual([]);
  const unnamed = flows.filter(({ file, named = "" }) => {
    const [firstWord = ""] = named.split(" ");
    return !readFileSync(join(root, "test", `${file}.test.ts`), "utf8").includes(firstWord);
  });
  expect(unnamed).toEqual([]);
});
