/** Chooses faults: one in each of so many folders of `src`, at random but the same for a seed. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { findFaults, type PlantedFault } from "./sites.js";

/** @param draw returns a whole number below its argument */
export function chooseFaults(
  root: string,
  count: number,
  draw: (below: number) => number,
): readonly PlantedFault[] {
  const byFolder = new Map<string, string[]>();
  for (const path of listSources(root))
    byFolder.set(dirname(path), [...(byFolder.get(dirname(path)) ?? []), path]);
  const folders = [...byFolder.values()];
  const chosen: PlantedFault[] = [];
  while (chosen.length < count && folders.length > 0) {
    const [files = []] = folders.splice(draw(folders.length), 1);
    const faults = files.flatMap((path) => findFaults(path, readFileSync(join(root, path), "utf8")));
    const fault = faults[draw(Math.max(1, faults.length))];
    if (fault !== undefined) chosen.push(fault);
  }
  return chosen;
}

/** TypeScript of the program, without the pages that run in a browser. */
function listSources(root: string): string[] {
  return readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !/^src\/(console|http\/docs)\//.test(path))
    .sort();
}
