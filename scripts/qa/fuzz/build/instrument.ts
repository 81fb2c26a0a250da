/**
 * Compiles a TypeScript or JavaScript file with a counter in each block, so that a run shows which branches it took and how often.
 * The counters are a Uint8Array that `globalThis.fuzzCounters(path, count, words)` returns when the module is loaded (edges.ts).
 */
import ts from "typescript";

export interface CompileRequest {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** What `import.meta.url` is in the compiled file: the URL of the source, next to which there may be files that it reads. */
  readonly url: string;
  /** Whether to count; the code of the fuzzer itself is compiled without counters. */
  readonly isInstrumented: boolean;
}

const counters = "fuzz$";
/** Longer literals are messages, not words of a format. */
const wordCharsMax = 32;

/** Returns JavaScript, an ES module. */
export function compile({ path, text, url, isInstrumented }: CompileRequest): string {
  const counted = { blocks: 0, words: new Set<string>() };
  const { outputText } = ts.transpileModule(text, {
    fileName: path.replace(/\.js$/, ".ts"),
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
    transformers: {
      before: isInstrumented ? [countBlocks(counted)] : [],
    },
  });
  const code = outputText.replaceAll("import.meta.url", JSON.stringify(url));
  if (counted.blocks === 0) return code;
  const words = JSON.stringify([...counted.words]);
  return `const ${counters} = globalThis.fuzzCounters(${JSON.stringify(path)}, ${counted.blocks}, ${words});\n${code}`;
}

function countBlocks(counted: {
  blocks: number;
  readonly words: Set<string>;
}): ts.TransformerFactory<ts.SourceFile> {
  return (context) => {
    const { factory } = context;
    const increment = (): ts.Expression => {
      const index = factory.createNumericLiteral(counted.blocks);
      counted.blocks += 1;
      return factory.createPostfixIncrement(
        factory.createElementAccessExpression(factory.createIdentifier(counters), index),
      );
    };
    const count = (): ts.Statement => factory.createExpressionStatement(increment());
    const counting = (expression: ts.Expression): ts.Expression =>
      factory.createParenthesizedExpression(factory.createComma(increment(), expression));
    const block = (statement: ts.Statement | undefined): ts.Block => {
      const inner = statement === undefined ? [] : ts.isBlock(statement) ? statement.statements : [statement];
      return factory.createBlock([count(), ...inner], true);
    };
    const visit = (node: ts.Node): ts.Node => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node;
      noteWord(node, counted.words);
      return withCounters(ts.visitEachChild(node, visit, context), { factory, block, counting, count });
    };
    return (file) => ts.visitEachChild(file, visit, context);
  };
}

interface Counting {
  readonly factory: ts.NodeFactory;
  /** Returns a block that counts, around a statement or what is in a block. */
  readonly block: (statement: ts.Statement | undefined) => ts.Block;
  /** Returns an expression that counts when it is evaluated. */
  readonly counting: (expression: ts.Expression) => ts.Expression;
  /** Returns a statement that counts. */
  readonly count: () => ts.Statement;
}

function withCounters(node: ts.Node, counting: Counting): ts.Node {
  const { factory, block } = counting;
  if (ts.isIfStatement(node))
    return factory.updateIfStatement(
      node,
      node.expression,
      block(node.thenStatement),
      block(node.elseStatement),
    );
  if (ts.isForStatement(node)) {
    const { initializer, condition, incrementor } = node;
    return factory.updateForStatement(node, initializer, condition, incrementor, block(node.statement));
  }
  if (ts.isForOfStatement(node)) {
    const { awaitModifier, initializer, expression } = node;
    return factory.updateForOfStatement(node, awaitModifier, initializer, expression, block(node.statement));
  }
  if (ts.isForInStatement(node))
    return factory.updateForInStatement(node, node.initializer, node.expression, block(node.statement));
  if (ts.isWhileStatement(node))
    return factory.updateWhileStatement(node, node.expression, block(node.statement));
  if (ts.isCatchClause(node))
    return factory.updateCatchClause(node, node.variableDeclaration, block(node.block));
  if (ts.isCaseClause(node))
    return factory.updateCaseClause(node, node.expression, [counting.count(), ...node.statements]);
  if (ts.isDefaultClause(node))
    return factory.updateDefaultClause(node, [counting.count(), ...node.statements]);
  return withCountersInExpression(node, counting);
}

function withCountersInExpression(node: ts.Node, { factory, block, counting }: Counting): ts.Node {
  if (ts.isConditionalExpression(node)) {
    const { condition, questionToken, whenTrue, colonToken, whenFalse } = node;
    const [then, otherwise] = [counting(whenTrue), counting(whenFalse)];
    return factory.updateConditionalExpression(node, condition, questionToken, then, colonToken, otherwise);
  }
  if (ts.isBinaryExpression(node) && isShortCircuit(node.operatorToken.kind))
    return factory.updateBinaryExpression(node, node.left, node.operatorToken, counting(node.right));
  if (ts.isArrowFunction(node)) {
    const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = node;
    const body = ts.isBlock(node.body) ? block(node.body) : counting(node.body);
    return factory.updateArrowFunction(
      node,
      modifiers,
      typeParameters,
      parameters,
      type,
      equalsGreaterThanToken,
      body,
    );
  }
  if (isFunctionWithBody(node) && node.body !== undefined)
    return replaceBody(node, node.body, block(node.body));
  return node;
}

type FunctionWithBody = ts.FunctionDeclaration | ts.FunctionExpression | ts.MethodDeclaration;

function isFunctionWithBody(node: ts.Node): node is FunctionWithBody {
  return ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isMethodDeclaration(node);
}

/** Replaces a block below a node that is otherwise kept. */
function replaceBody(node: FunctionWithBody, body: ts.Block, counted: ts.Block): ts.Node {
  return ts.visitEachChild(node, (child) => (child === body ? counted : child), undefined);
}

function isShortCircuit(operator: ts.SyntaxKind): boolean {
  return (
    operator === ts.SyntaxKind.AmpersandAmpersandToken ||
    operator === ts.SyntaxKind.BarBarToken ||
    operator === ts.SyntaxKind.QuestionQuestionToken ||
    operator === ts.SyntaxKind.QuestionQuestionEqualsToken
  );
}

/** Collects what may be a word of the input format: literals, and names of properties. */
function noteWord(node: ts.Node, words: Set<string>): void {
  const name = ts.isPropertyAssignment(node) ? node.name : node;
  const isWord = ts.isStringLiteral(name) || (name !== node && ts.isIdentifier(name));
  if (isWord && name.text.length > 0 && name.text.length <= wordCharsMax) words.add(name.text);
}
