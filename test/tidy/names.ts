/** An exported name exists once, so that a search finds one thing. */
import { sourceFiles } from "./source-files.js";

const declared =
  /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm;

/** Returns the names that several files of src/ declare and export, with these files. */
export function findDoubleNames(root: string): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of sourceFiles(root, "src", /\.tsx?$/))
    for (const [, name = ""] of text.matchAll(declared))
      files.set(name, (files.get(name) ?? new Set()).add(path));
  return [...files]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
}
