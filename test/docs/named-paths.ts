/** The paths of the repository that a text for engineers names in code spans. */
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Folders that are not of the repository. */
const skipped = new Set([".git", "node_modules", "dist", "data", "coverage"]);
/** A path from the root begins with one of these. */
const trees = /^(src|test|scripts|packaging)\//;

/** Returns the paths in a Markdown text, from the root of the repository; one path for each of `a/{b,c}.ts`. */
export function readNamedPaths(markdown: string): string[] {
  const spans = [...markdown.matchAll(/`([^`\s]+)`/g)].map(([, text = ""]) => text);
  return spans.filter((text) => trees.test(text)).flatMap(listAlternatives);
}

/** Returns the paths in a Markdown text that nothing in the repository at `root` has. `<name>` stands for any one name. */
export function findMissingPaths(root: string, markdown: string): string[] {
  const existing = listPaths(root);
  return readNamedPaths(markdown).filter((path) => {
    const pattern = toPattern(path);
    return !existing.some((found) => pattern.test(found));
  });
}

function listAlternatives(path: string): string[] {
  const [whole, list] = /\{([^}]*)\}/.exec(path) ?? [];
  if (whole === undefined || list === undefined) return [path];
  return list.split(",").flatMap((each) => listAlternatives(path.replace(whole, each.trim())));
}

/** `<name>` and `*` stand for a part of a path that is not empty. */
function toPattern(path: string): RegExp {
  const source = path
    .replace(/\/$/, "")
    .split(/<[^>]*>|\*/)
    .map((text) => text.replace(/[.+?^$()[\]{}|\\]/g, "\\$&"))
    .join("[^/]+");
  return new RegExp(`^${source}$`);
}

/** Returns the files and folders below `folder`, from the root, with forward slashes. */
function listPaths(root: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const found = relative(root, path).split(sep).join("/");
    if (skipped.has(found) || entry.name === "node_modules") return [];
    return entry.isDirectory() ? [found, ...listPaths(root, path)] : [found];
  });
}
