/** Files that somebody else can replace are read through src/regular-file.ts, which refuses pipes, devices and huge files. */
import ts from "typescript";
import { lineOf, sourceFiles, visitNodes } from "./source-files.js";

/** Where files of others are read: models, certificates, configuration, backups, what a command is given. */
const places =
  /^src\/(models\/|engine\/(images|vision|notify)\/|engine\/trial\/onnx\.ts|app\/backup\/|cli\/batches\/|config-file\.ts|http\/tls\.ts|store\/postgres\/)/;

/** What is read there is not of others. */
const ownFiles = new Map([
  ["src/models/fit/free-memory.ts", "the kernel's files"],
  ["src/app/backup/last-backup.ts", "the data folder"],
]);

const readers = new Set(["readFile", "readFileSync", "createReadStream", "openSync"]);

/** Every import of a function that waits for the writer of a pipe, as `path:line what`. */
export function readViolations(root: string): string[] {
  return sourceFiles(root, "src", /\.ts$/).flatMap((file) => {
    const found: string[] = [];
    if (!places.test(file.path) || ownFiles.has(file.path)) return found;
    visitNodes(file, (node, tree) => {
      if (!ts.isImportSpecifier(node)) return;
      const from = node.parent.parent.parent.moduleSpecifier;
      const name = (node.propertyName ?? node.name).text;
      if (ts.isStringLiteral(from) && /^(node:)?fs(\/promises)?$/.test(from.text) && readers.has(name))
        found.push(`${file.path}:${lineOf(node, tree)} ${name}`);
    });
    return found;
  });
}
