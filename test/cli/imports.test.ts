import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../harness.js";

const light = [
  "better-sqlite3",
  "commander",
  "eventsource-parser/stream",
  "kysely",
  "lru-cache",
  "uuid",
  "yaml",
  "zod",
];

/** Returns the packages that a module and its imports load, types aside. */
function packagesOf(module: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(module)) return packages;
  seen.add(module);
  const source = readFileSync(module, "utf8");
  for (const [, from = ""] of source.matchAll(
    /^(?:import(?! type)|export(?! type))[^;"]*? from "([^"]+)";/gm,
  )) {
    if (from.startsWith(".")) packagesOf(join(dirname(module), from.replace(/\.js$/, ".ts")), seen, packages);
    else if (!from.startsWith("node:")) packages.add(from);
  }
  return packages;
}

it("no command but those that serve loads the server: they would take seconds to start", () => {
  const main = join(root, "src", "main.ts");
  const imported = [...readFileSync(main, "utf8").matchAll(/import\("(\.[^"]+)"\)/g)].map(
    ([, from = ""]) => from,
  );
  expect(imported).toContain("./cli/server/start.js");
  const loaded = imported.flatMap((from) => [...packagesOf(join(root, "src", from.replace(/\.js$/, ".ts")))]);
  expect(new Set(loaded)).toEqual(new Set(light));
});
