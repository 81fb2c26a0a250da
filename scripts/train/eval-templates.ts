/**
 * `npm run eval:templates -- DIR`: for each chat template (`*.jinja`) of a folder, prints its repairs, the derived form of calls and
 * reasoning, and how many shapes of arguments survive being rendered and parsed. Then renders each with a dozen conversations, with the
 * engine of this server and with Python's jinja2, and prints how many are equal.
 *
 *   --replay   instead, a server runs a model for each template, which writes what models of that template naturally write
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printDerivations } from "./eval-templates/derivation.js";
import { compareWithPython } from "./eval-templates/python.js";
import { printReplays } from "./eval-templates/replay.js";

process.env.TZ = "UTC";
process.exitCode = await main(process.argv.slice(2));

/** @returns the exit status: 0 where all renderings are equal, 1 where one differs, 2 where nothing could be compared */
async function main(args: string[]): Promise<number> {
  const options = { replay: { type: "boolean", default: false } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined) {
    console.error("Usage: npm run eval:templates -- [--replay] DIR");
    return 2;
  }
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".jinja"))
    .sort();
  const templates = names.map((name) => ({ name, source: readFileSync(join(folder, name), "utf8") }));
  if (values.replay) {
    await printReplays(templates);
    return 0;
  }
  await printDerivations(templates);
  const isEqual = compareWithPython(templates);
  if (isEqual === null)
    console.error("Python 3 with jinja2 is needed to compare; it is not on this machine.");
  return isEqual === null ? 2 : isEqual ? 0 : 1;
}
