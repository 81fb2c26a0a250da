/**
 * The files that the tidy rules look at, of any tree: the rules are functions over a root folder, so that a test can plant a
 * violation in a small tree of its own. Fixtures are data, not source.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Files under root/folder whose name ends as asked, sorted by path; none when the folder does not exist. */
export function sourceFiles(root: string, folder: string, ending = /\.(ts|mjs)$/): SourceFile[] {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(root, file).split(sep).join("/") }))
    .filter(({ path }) => !path.startsWith("test/fixtures/"))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ file, path }) => ({ path, text: readFileSync(file, "utf8") }));
}

/** Calls `visit` for every node of a file's syntax tree, parents first. */
export function visitNodes(file: SourceFile, visit: (node: ts.Node, tree: ts.SourceFile) => void): void {
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2022, true);
  const step = (node: ts.Node): void => {
    visit(node, tree);
    ts.forEachChild(node, step);
  };
  step(tree);
}

/** The line, from 1, on which a node begins. */
export function lineOf(node: ts.Node, tree: ts.SourceFile): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}
