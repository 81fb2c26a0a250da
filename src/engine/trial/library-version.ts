import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Returns the version of a library without importing it, which would load native code into this process. */
export function libraryVersion(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const text = readFileSync(new URL("../package.json", pathToFileURL(entry)), "utf8");
  return String((JSON.parse(text) as { version?: unknown }).version);
}
