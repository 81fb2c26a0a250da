/** Smaller rules: names without meaning, default exports, comments about work left to do, tests that do not run. */
import ts from "typescript";
import { lineOf, sourceFiles, visitNodes } from "./source-files.js";

const folders = ["src", "test", "scripts"];
const emptyNames = /^(utils?|helpers?|services?|common|misc)$/;
// In two parts, so that this file does not find itself.
const promise = new RegExp(["\\b(TO", "DO|FIX", "ME)\\b"].join(""));
const unresolved = /^(\| )?<{7} |^>{7} |^(> ){6}/;
const restful = new Set(["skip", "skipIf", "todo", "only", "fails"]);

/** Files and folders whose name does not describe their content. */
export function nameViolations(root: string): string[] {
  return everything(root)
    .map((file) => file.path)
    .filter((path) => path.split("/").some((part) => emptyNames.test(part.replace(/\..*$/, ""))));
}

/** Default exports in src/, test/ and scripts/, as `path:line`. */
export function defaultExportViolations(root: string): string[] {
  return violations(root, folders, (node) => {
    if (ts.isExportAssignment(node)) return true;
    if (ts.isExportSpecifier(node)) return node.name.text === "default";
    return node.kind === ts.SyntaxKind.DefaultKeyword;
  });
}

/** Comments about work left to do: it is done, or it is an issue. As `path:line`. */
export function promiseViolations(root: string): string[] {
  return everything(root).flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (promise.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

/** What a merge has left that was not resolved, also as a formatter of Markdown writes it. As `path:line`. */
export function mergeViolations(root: string): string[] {
  const guides = sourceFiles(root, "src/docs", /\.md$/);
  return [...everything(root), ...guides].flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (unresolved.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

/** Tests that are switched off, or that switch off others, as `path:line`. */
export function skippedTestViolations(root: string): string[] {
  return violations(
    root,
    ["test"],
    (node) =>
      ts.isPropertyAccessExpression(node) &&
      restful.has(node.name.text) &&
      /^(it|test|describe)\b/.test(node.expression.getText()),
  );
}

function everything(root: string) {
  return folders.flatMap((folder) => sourceFiles(root, folder, /\.(ts|mjs|py)$/));
}

function violations(root: string, where: readonly string[], wrong: (node: ts.Node) => boolean): string[] {
  return where
    .flatMap((folder) => sourceFiles(root, folder))
    .flatMap((file) => {
      const found: string[] = [];
      visitNodes(file, (node, tree) => {
        if (wrong(node)) found.push(`${file.path}:${lineOf(node, tree)}`);
      });
      return found;
    });
}
