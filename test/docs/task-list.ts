/** The list in CONTRIBUTING.md of the files that a task touches. */
import { readdirSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/** Folders that are not of the repository. */
const skipped = new Set([".git", "node_modules", "dist", "data", "coverage"]);

export interface NamedPath {
  /** As the list has it, each of `a/{b,c}.ts` on its own. */
  readonly text: string;
  /** Where it may be: a name without a folder is at the root, or beside the path before it. */
  readonly places: readonly string[];
}

/** Paths of the list in a Markdown text that nothing in the repository at `root` has. */
export function missingPaths(root: string, markdown: string): string[] {
  const existing = pathsIn(root);
  return pathsOfTasks(markdown)
    .filter(({ places }) => {
      const patterns = places.map(patternOf);
      return !existing.some((path) => patterns.some((pattern) => pattern.test(path)));
    })
    .map(({ text }) => text);
}

/** The paths after the bold name of each task of the list under the heading "Task -> file". */
export function pathsOfTasks(markdown: string): NamedPath[] {
  const [, section = ""] = markdown.split(/^## Task -> file$/m);
  const entries = (section.split(/^## /m)[0] ?? "").matchAll(/^- \*\*.*?:\*\* (.*)$/gm);
  return [...entries].flatMap(([, files = ""]) => pathsOfEntry(files));
}

function pathsOfEntry(files: string): NamedPath[] {
  const paths: NamedPath[] = [];
  let folder = "";
  for (const [, named = ""] of files.matchAll(/`([^`]+)`/g)) {
    if (!isPath(named)) continue;
    const isBare = !named.includes("/");
    for (const text of alternativesOf(named))
      paths.push({ text, places: isBare ? [text, posix.join(folder, text)] : [text] });
    if (!isBare) folder = named.endsWith("/") ? named : posix.dirname(named);
  }
  return paths;
}

/** Neither a command, nor a URL, nor a name in code. */
function isPath(text: string): boolean {
  return (
    !/\s/.test(text) &&
    !text.startsWith("/") &&
    (text.includes("/") || /\.(ts|mjs|md|json|ya?ml)$/.test(text))
  );
}

function alternativesOf(path: string): string[] {
  const [whole, list] = /\{([^}]*)\}/.exec(path) ?? [];
  if (whole === undefined || list === undefined) return [path];
  return list.split(",").flatMap((each) => alternativesOf(path.replace(whole, each.trim())));
}

/** `<name>` and `*` stand for a part of a path that is not empty. */
function patternOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, "")
    .split(/<[^>]*>|\*/)
    .map((text) => text.replace(/[.+?^$()[\]{}|\\]/g, "\\$&"))
    .join("[^/]+");
  return new RegExp(`^${source}$`);
}

/** Files and folders from the root, with forward slashes. */
function pathsIn(root: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const found = relative(root, path).split(sep).join("/");
    if (skipped.has(found) || entry.name === "node_modules") return [];
    return entry.isDirectory() ? [found, ...pathsIn(root, path)] : [found];
  });
}
