/**
 * SQL is written as `sql` templates and queries of kysely, whose values are parameters. A statement that is put together as a text
 * appears in named files only, which put no text of a client into it.
 */
import ts from "typescript";
import { lineOf, sourceFiles, visitNodes } from "./source-files.js";

/** Files that put statements together, and what of. */
const composers = new Map([
  ["src/store/database.ts", "numbers of settings"],
  ["src/store/migrate.ts", "numbers of versions"],
  ["src/store/backup/damage.ts", "names of checks"],
  ["src/store/sqlite/connect.ts", "settings of a connection"],
  ["src/store/sqlite/reports/worker.ts", "a number"],
  ["src/store/postgres/batch.ts", "a name of its own, and a statement of kysely"],
  ["src/store/postgres/broadcast.ts", "the name of a channel"],
  ["src/store/postgres/node-store.ts", "a condition of its own"],
  ["src/store/postgres/nodes.ts", "a condition of its own"],
  ["src/store/postgres/move/source.ts", "names of tables"],
  ["src/store/postgres/move/target.ts", "names of tables"],
]);

/** Methods of database connections that take a statement. */
const runners = new Set(["exec", "prepare", "pragma", "query", "unsafe"]);

/** Every statement that is put together as a text, as `path:line text`. */
export function composedStatements(root: string): string[] {
  return sourceFiles(root, "src", /\.ts$/).flatMap((file) => {
    const found: string[] = [];
    if (composers.has(file.path)) return found;
    visitNodes(file, (node, tree) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const [statement] = node.arguments;
      const { name, expression } = node.expression;
      if (statement === undefined) return;
      const isRaw = name.text === "raw" && /^(sql|CompiledQuery)$/.test(expression.getText(tree));
      if (isRaw ? !isConstant(statement) : runners.has(name.text) && isComposed(statement))
        found.push(`${file.path}:${lineOf(node, tree)} ${statement.getText(tree)}`);
    });
    return found;
  });
}

function isConstant(node: ts.Expression): boolean {
  if (ts.isConditionalExpression(node)) return isConstant(node.whenTrue) && isConstant(node.whenFalse);
  return ts.isStringLiteralLike(node);
}

function isComposed(node: ts.Expression): boolean {
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return ts.isTemplateExpression(node) || isSum;
}
