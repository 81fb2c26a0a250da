/** Rule 13: measures files, functions and folders; ratchet.ts says what may be over the limit. */
import { dirname } from "node:path";
import ts from "typescript";
import { lineOf, sourceFiles, visitNodes, type SourceFile } from "./source-files.js";

/** The most lines that files and functions may have, and the most files that a folder may have. */
export const sizeLimits = { file: 300, function: 49, fileMedian: 80, fileP90: 200, folderFiles: 20 };

/** No ratchet lifts this: the most lines any function may have. */
export const functionLinesMax = 70;

/** Lines by path, of every source file in src/, test/ and scripts/, the training recipes included. */
export function fileLines(root: string): Map<string, number> {
  const files = ["src", "test", "scripts"].flatMap((folder) => sourceFiles(root, folder, /\.(ts|mjs|py)$/));
  return new Map(files.map((file) => [file.path, countLines(file.text)]));
}

/**
 * Lines by `path#name`, of every function in src/ and scripts/, from its first line to its last, those of inner functions
 * included. A second function of the same name in a file is `path#name 2`.
 */
export function functionLines(root: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const file of ["src", "scripts"].flatMap((folder) => sourceFiles(root, folder)))
    for (const [name, count] of functionsOf(file)) {
      let key = `${file.path}#${name}`;
      for (let nth = 2; lines.has(key); nth++) key = `${file.path}#${name} ${nth}`;
      lines.set(key, count);
    }
  return lines;
}

/** The median and the 90th percentile of the files of src/, in lines. */
export function fileSpread(root: string): { fileMedian: number; fileP90: number } {
  const counts = sourceFiles(root, "src")
    .map((file) => countLines(file.text))
    .sort((a, b) => a - b);
  const at = (share: number): number =>
    counts[Math.min(counts.length - 1, Math.floor(counts.length * share))] ?? 0;
  return { fileMedian: at(0.5), fileP90: at(0.9) };
}

/** Folders of src/, test/ and scripts/ with more files than `sizeLimits.folderFiles`, as `path: count`. */
export function crowdedFolders(root: string): string[] {
  const counts = new Map<string, number>();
  for (const { path } of ["src", "test", "scripts"].flatMap((top) => sourceFiles(root, top, /\.[a-z]+$/)))
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > sizeLimits.folderFiles)
    .map(([folder, count]) => `${folder}: ${count}`);
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function functionsOf(file: SourceFile): [name: string, lines: number][] {
  const found: [string, number][] = [];
  visitNodes(file, (node, tree) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const last = tree.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    found.push([nameOf(node), last - lineOf(node, tree) + 1]);
  });
  return found;
}

/** A function's own name, or that of what it is given to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  if (ts.isCallExpression(parent)) return `(in ${parent.expression.getText().slice(0, 40)})`;
  return "(unnamed)";
}
