/**
 * `npm run eval:templates -- DIR`: for each chat template (`*.jinja`) of a folder, prints its repairs, the derived form of calls and
 * reasoning, and how many shapes of arguments survive being rendered and parsed. Then renders each with a dozen conversations, with the
 * engine of this server and with Python's jinja2, and prints how many are equal.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { printDerivations } from "./eval-templates/derivation.js";
import { compareWithPython } from "./eval-templates/python.js";

process.env.TZ = "UTC";
process.exitCode = await main(process.argv.slice(2));

/** @returns the exit status: 0 where all renderings are equal, 1 where one differs, 2 where nothing could be compared */
async function main([folder]: readonly string[]): Promise<number> {
  if (folder === undefined) {
    console.error("Usage: npm run eval:templates -- DIR");
    return 2;
  }
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".jinja"))
    .sort();
  const templates = names.map((name) => ({ name, source: readFileSync(join(folder, name), "utf8") }));
  await printDerivations(templates);
  const isEqual = compareWithPython(templates);
  if (isEqual === null)
    console.error("Python 3 with jinja2 is needed to compare; it is not on this machine.");
  return isEqual === null ? 2 : isEqual ? 0 : 1;
}
