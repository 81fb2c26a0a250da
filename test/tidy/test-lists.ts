/** The lists that say which tests run where: a pattern in them that no file matches would leave tests out without a word. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { largerTests } from "../kit/sizes.js";

/** Returns the patterns of vitest.config.ts and of the sizes whose files do not exist. */
export function findStalePatterns(root: string): readonly string[] {
  const config = readFileSync(join(root, "vitest.config.ts"), "utf8");
  const listed = [...config.matchAll(/"(test\/[^"]+\.ts)"/g)].map(([, pattern = ""]) => pattern);
  const sized = largerTests.flatMap(({ files }) => files.map((file) => `test/${file}`));
  return [...listed, ...sized]
    .flatMap(expandBraces)
    .filter((path) => !existsSync(join(root, fixedPart(path))));
}

/** Returns the pattern with each of the alternatives in its braces. */
function expandBraces(pattern: string): readonly string[] {
  const [group = "", alternatives = ""] = /\{([^{}]+)\}/.exec(pattern) ?? [];
  if (group === "") return [pattern];
  return alternatives.split(",").flatMap((each) => expandBraces(pattern.replace(group, each)));
}

/** Returns the path of a pattern up to its first wildcard, without a part of a name. */
function fixedPart(pattern: string): string {
  const [fixed = ""] = pattern.split(/[*!?]/);
  return fixed === pattern ? pattern : fixed.replace(/[^/]*$/, "");
}
