/** Places in a source file where a small fault can be planted, and the text with the fault. */
import ts from "typescript";

export interface PlantedFault {
  /** From the root of the repository. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Such as `< became >=`. */
  readonly what: string;
  /** The whole file with the fault. */
  readonly text: string;
}

/** What a token becomes. */
const swapped = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, ">="],
  [ts.SyntaxKind.LessThanEqualsToken, ">"],
  [ts.SyntaxKind.GreaterThanToken, "<="],
  [ts.SyntaxKind.GreaterThanEqualsToken, "<"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
]);

/** Returns every fault that can be planted in a file, in order of its text. */
export function findFaults(path: string, text: string): readonly PlantedFault[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const faults: PlantedFault[] = [];
  const plant = (node: ts.Node, replacement: string, what: string): void => {
    const [from, to] = [node.getStart(tree), node.getEnd()];
    faults.push({
      path,
      line: tree.getLineAndCharacterOfPosition(from).line + 1,
      what,
      text: text.slice(0, from) + replacement + text.slice(to),
    });
  };
  const step = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const replacement = swapped.get(node.operatorToken.kind);
      const was = node.operatorToken.getText(tree);
      if (replacement !== undefined) plant(node.operatorToken, replacement, `${was} became ${replacement}`);
    }
    if (ts.isIfStatement(node))
      plant(node.expression, `!(${node.expression.getText(tree)})`, "an if is negated");
    if (node.kind === ts.SyntaxKind.TrueKeyword) plant(node, "false", "true became false");
    if (node.kind === ts.SyntaxKind.FalseKeyword) plant(node, "true", "false became true");
    if (ts.isExpressionStatement(node) && isCall(node.expression))
      plant(node, ";", `${node.getText(tree).split("\n")[0] ?? ""} is left out`);
    ts.forEachChild(node, step);
  };
  step(tree);
  return faults;
}

/** A call on its own, whose result nobody reads; `await` and `void` before it are part of it. */
function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression);
  return ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword;
}
