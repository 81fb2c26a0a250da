/** Finds folders beside each other that import each other, directly or through others. */
import { basename, dirname } from "node:path/posix";

/** @typedef {{ readonly source: string, readonly dependencies: readonly { readonly resolved: string }[] }} Module */

/**
 * @param {readonly Module[]} modules with paths from the root
 * @returns {readonly string[]} two folders that import each other, and all folders that reach each other, as `parent/{folder,folder}`
 */
export function findFolderCycles(modules) {
  const imports = readFolders(modules);
  const reached = new Map([...imports.keys()].map((folder) => [folder, reach(folder, imports)]));
  const found = [...imports].flatMap(([folder, others]) => {
    const pairs = [...others]
      .filter((other) => imports.get(other)?.has(folder))
      .map((other) => [folder, other]);
    const all = [...(reached.get(folder) ?? [])].filter((other) => reached.get(other)?.has(folder));
    return [...pairs, all];
  });
  return [...new Set(found.filter(({ length }) => length > 1).map(nameCycle))].sort();
}

/**
 * @param {readonly Module[]} modules
 * @returns the folders that each folder imports, of those beside it
 */
function readFolders(modules) {
  /** @type {Map<string, Set<string>>} */
  const imports = new Map();
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      const [from, to] = splitAtFork(source, resolved);
      if (from !== undefined && to !== undefined) imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  return imports;
}

/**
 * @param {string} source
 * @param {string} resolved
 * @returns {string[]} the two folders of one parent in which the files are; empty where there are no two such folders
 */
function splitAtFork(source, resolved) {
  const paths = [source.split("/"), resolved.split("/")];
  const depth = paths[0]?.findIndex((part, index) => part !== paths[1]?.[index]) ?? 0;
  const hasFork = depth > 0 && paths.every((path) => depth < path.length - 1);
  return hasFork ? paths.map((path) => path.slice(0, depth + 1).join("/")) : [];
}

/**
 * @param {string} folder
 * @param {ReadonlyMap<string, ReadonlySet<string>>} imports
 */
function reach(folder, imports) {
  /** @type {Set<string>} */
  const found = new Set(imports.get(folder));
  // A set that grows while it is read: each folder is read once.
  for (const each of found) for (const next of imports.get(each) ?? []) found.add(next);
  return found;
}

/** @param {readonly string[]} cycle */
function nameCycle(cycle) {
  const parent = dirname(cycle[0] ?? "");
  const names = cycle.map((folder) => basename(folder)).sort();
  return `${parent}/{${names.join(",")}}`;
}
