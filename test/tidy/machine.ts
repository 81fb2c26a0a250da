/** Rule 9: time and randomness come in as parameters, the environment through Config. */
import ts from "typescript";
import { lineOf, sourceFiles, visitNodes } from "./source-files.js";

/** The only files that may ask the machine itself; .oxlintrc.json says the same while you type, except for `new Date()`. */
const ownFiles = {
  // The engine's worker is a thread of its own: it has no composition root but itself.
  time: [
    "src/system.ts",
    "src/engine/llama/worker.ts",
    "src/engine/thread-clock.ts",
    "src/console/lib/clock.ts",
  ],
  chance: ["src/system.ts"],
  environment: ["src/config.ts", "src/main.ts"],
};

const members: Record<string, keyof typeof ownFiles> = {
  "Date.now": "time",
  "performance.now": "time",
  "process.hrtime": "time",
  "Math.random": "chance",
  "crypto.getRandomValues": "chance",
  "crypto.randomUUID": "chance",
  "process.env": "environment",
};

/** Names that reach the same through an import. */
const imported: Record<string, keyof typeof ownFiles> = {
  randomBytes: "chance",
  randomInt: "chance",
  randomUUID: "chance",
  getRandomValues: "chance",
  performance: "time",
  hrtime: "time",
  env: "environment",
};

const nodeModules = /^(node:)?(crypto|perf_hooks|process)$/;

/** Every use of the machine's clock, chance or environment outside its own file, as `path:line what`. */
export function machineViolations(root: string): string[] {
  return sourceFiles(root, "src", /\.(tsx?|mjs)$/).flatMap((file) => {
    const found: string[] = [];
    visitNodes(file, (node, tree) => {
      const use = machineUse(node);
      if (use !== null && !ownFiles[use.kind].includes(file.path))
        found.push(`${file.path}:${lineOf(node, tree)} ${use.what}`);
    });
    return found;
  });
}

interface MachineUse {
  readonly kind: keyof typeof ownFiles;
  readonly what: string;
}

function machineUse(node: ts.Node): MachineUse | null {
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && (node.arguments ?? []).length === 0)
    return { kind: "time", what: "new Date()" };
  if (ts.isCallExpression(node) && node.expression.getText() === "Date")
    return { kind: "time", what: "Date()" };
  if (ts.isPropertyAccessExpression(node))
    return known(members, `${node.expression.getText().replace(/^globalThis\./, "")}.${node.name.text}`);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression))
    return known(members, `${node.expression.getText()}.${node.argumentExpression.text}`);
  if (ts.isBindingElement(node)) return unpacked(node);
  if (ts.isImportSpecifier(node)) return broughtIn(node);
  return null;
}

/** `const { env } = process` */
function unpacked(element: ts.BindingElement): MachineUse | null {
  const declaration = element.parent.parent;
  if (!ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return null;
  const name = (element.propertyName ?? element.name).getText();
  return known(members, `${declaration.initializer.getText()}.${name}`);
}

/** `import { randomUUID } from "node:crypto"` */
function broughtIn(specifier: ts.ImportSpecifier): MachineUse | null {
  const from = specifier.parent.parent.parent.moduleSpecifier;
  if (!ts.isStringLiteral(from) || !nodeModules.test(from.text)) return null;
  return known(imported, (specifier.propertyName ?? specifier.name).text);
}

function known(names: Record<string, keyof typeof ownFiles>, what: string): MachineUse | null {
  const kind = Object.hasOwn(names, what) ? names[what] : undefined;
  return kind === undefined ? null : { kind, what };
}
