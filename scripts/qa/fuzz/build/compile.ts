/**
 * Compiles modules and all that they import into coverage/fuzz/, in the layout of the repository. Files of src/ count their blocks.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../world/root.js";
import { compile } from "./instrument.js";

const output = join(root, "coverage", "fuzz");
const isInstrumented = (path: string): boolean =>
  path.startsWith("src/") || path.startsWith("test/fuzz/planted/");

/**
 * Compiles what has changed since the last time.
 * @param entries paths of modules from the root, such as `scripts/qa/fuzz/child.ts`
 * @returns the path of each compiled entry
 */
export function compileModules(entries: readonly string[]): readonly string[] {
  const pending = [...entries];
  const known = new Set(pending);
  for (let path = pending.pop(); path !== undefined; path = pending.pop())
    for (const imported of findImports(path, compiled(path))) {
      if (known.has(imported)) continue;
      known.add(imported);
      pending.push(imported);
    }
  return entries.map(nameOutput);
}

/** Returns the compiled text of a file, from the last time if the file and the compiler are still the same. */
function compiled(path: string): string {
  const text = readFileSync(join(root, path), "utf8");
  const url = pathToFileURL(join(root, path)).href;
  const stamp = `// ${createHash("sha256").update(compiler).update(url).update(text).digest("hex")}\n`;
  const file = nameOutput(path);
  if (existsSync(file)) {
    const before = readFileSync(file, "utf8");
    if (before.startsWith(stamp)) return before;
  }
  const made = stamp + compile({ path, text, url, isInstrumented: isInstrumented(path) });
  mkdirSync(dirname(file), { recursive: true });
  // Renamed, so that another process that fuzzes at the same time never reads a part of it.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, made);
  renameSync(part, file);
  return made;
}

const compiler = readFileSync(new URL("instrument.ts", import.meta.url));

/** Returns the source files that a compiled module imports by a relative path. */
function findImports(path: string, text: string): readonly string[] {
  const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"\n]+)"/g)];
  return found.map(([, specifier = ""]) =>
    posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts"),
  );
}

function nameOutput(path: string): string {
  return join(output, path.replace(/\.ts$/, ".js"));
}
