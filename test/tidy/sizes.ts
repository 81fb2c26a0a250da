/** Rule 13, as far as the linter does not measure it. */
import { dirname } from "node:path";
import { sourceFiles } from "./source-files.js";

const trees = ["src", "test", "scripts"];
export const folderFilesMax = 20;
const pythonLinesMax = 400;

/** Returns the folders with too many files, as `path: count`. Subfolders and Markdown files do not count. */
export function findCrowdedFolders(root: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of trees.flatMap((tree) => sourceFiles(root, tree, /\.(?!md$)[a-z]+$/)))
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > folderFilesMax)
    .map(([folder, count]) => `${folder}: ${count}`);
}

/** Returns the files in Python with too many lines, as `path: count`. */
export function findLongPython(root: string): readonly string[] {
  return sourceFiles(root, "scripts", /\.py$/)
    .map(({ path, text }) => [path, countLines(text)] as const)
    .filter(([, lines]) => lines > pythonLinesMax)
    .map(([path, lines]) => `${path}: ${lines}`);
}

/** Returns how many names the files of src/ export for each 1,000 lines. */
export function countExportsPerThousandLines(root: string): number {
  const texts = sourceFiles(root, "src", /\.tsx?$/).map(({ text }) => text);
  const exported = texts.flatMap((text) => text.match(/^export /gm) ?? []).length;
  return (exported / texts.reduce((sum, text) => sum + countLines(text), 0)) * 1000;
}

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}
