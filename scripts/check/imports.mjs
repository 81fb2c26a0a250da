/**
 * Checks which files of src/, test/ and scripts/ import which: the rules of .dependency-cruiser.cjs, and cycles of folders, which no such
 * rule describes. folder-cycles.json has the cycles that src/ still has; it may only get shorter.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise } from "dependency-cruiser";
import { findFolderCycles } from "./folder-cycles.mjs";

/** @typedef {import("dependency-cruiser").ICruiseResult} Imports */

/** @type {import("dependency-cruiser").IConfiguration} */
const { forbidden = [], options } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @type {string[]} */
  const known = JSON.parse(readFileSync(new URL("folder-cycles.json", import.meta.url), "utf8"));
  const imports = await readImports(fileURLToPath(new URL("../..", import.meta.url)));
  const problems = [...findWrongImports(imports, known), ...findIdleRules(imports)];
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(""));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/**
 * @param {string} root
 * @returns {Promise<Imports>}
 */
export async function readImports(root) {
  const trees = ["src", "test", "scripts"].filter((tree) => existsSync(join(root, tree)));
  const { output } = await cruise(trees, {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden },
  });
  if (typeof output === "string") throw new Error(output);
  return output;
}

/**
 * @param {Imports} imports
 * @param {readonly string[]} known cycles of folders
 * @returns {readonly string[]} one line for each problem
 */
export function findWrongImports({ modules, summary }, known) {
  const cycles = findFolderCycles(modules);
  const added = cycles.filter((cycle) => !known.includes(cycle));
  const gone = known.filter((cycle) => !cycles.includes(cycle));
  return [
    ...summary.violations.map(
      ({ rule, from, to, cycle = [{ name: to }] }) =>
        `${rule.name}: ${[from, ...cycle.map(({ name }) => name)].join(" -> ")}`,
    ),
    ...added.map((cycle) => `cycle of folders: ${cycle}`),
    ...gone.map((cycle) => `no cycle of folders any more; remove it from the list: ${cycle}`),
  ];
}

/**
 * Finds rules that hold nothing, because the files that they are about have moved.
 * @param {Imports} imports
 */
function findIdleRules({ modules }) {
  return forbidden
    .map(({ name, from: { path = "" } }) => ({ name, paths: [path].flat() }))
    .filter(({ paths }) => !paths.some((path) => modules.some(({ source }) => RegExp(path).test(source))))
    .map(({ name }) => `no file is what this rule is about: ${name}`);
}
