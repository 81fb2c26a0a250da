import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { root, temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";

/** Returns the sources of everything that the program loads for a command, packages included, as paths from the root. */
async function sourcesLoadedBy(command: string): Promise<readonly string[]> {
  const run = runProgram(command.split(" "), {
    HEARTH_DATA: join(temporaryFolder(), "data"),
    HEARTH_PORT: "0",
    NODE_DEBUG: "esm",
  });
  await run.exited;
  const urls = new Set(run.stderr().match(/file:\/\/[^'"\s]+\.js(?=['"\s])/g));
  return [...urls].map((url) => fileURLToPath(url)).flatMap((file) => sourcesOf(file));
}

/** Returns what a file of dist/ was made from; for another file, itself. */
function sourcesOf(file: string): readonly string[] {
  if (!existsSync(`${file}.map`)) return [relative(root, file)];
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { readonly sources: readonly string[] };
  return map.sources.map((source) => relative(root, join(dirname(file), source)));
}

const server = /^src\/(http|dialects|jobs|inference|scheduler)\//;
/** What a command about accounts does without, where it answers itself. */
const models =
  /^src\/(answers|jobs|inference|scheduler)\/|^src\/http\/(inference|ollama|console|about)\/|^src\/dialects\/(openai|anthropic|ollama)/;
const engine =
  /^src\/(template|engine\/(language|text|images))\/|^src\/engine\/llama\/engine|node_modules\/(node-llama-cpp|@huggingface|onnxruntime-node|sharp|tiktoken)\//;
const settings = /^src\/config\/config\.ts$|node_modules\/(zod|yaml)\//;
const database = /^src\/store\/(database|migrate)\.ts$|node_modules\/(kysely|better-sqlite3)\//;
const hub = /^src\/models\/hub\/transfer\/|node_modules\/(undici|pino)\//;

describe("a command loads what it needs only: to load the whole program takes seconds on a slow machine", () => {
  it.each([
    ["--version", [server, engine, settings, database, hub]],
    ["--help", [server, engine, settings, database, hub]],
    ["keys --help", [server, engine, settings, database, hub]],
    ["ls", [server, engine, database, hub]],
    ["alias", [server, engine, database, hub]],
    ["prices ls", [server, engine, database, hub]],
    ["ps", [server, engine, database, hub]],
    ["batches --help", [server, engine, settings, database, hub]],
    ["files ls", [server, engine, database, hub]],
    ["keys ls", [models, engine, hub]],
    ["teams ls", [models, engine, hub]],
    ["usage", [models, engine, hub]],
    ["ledger verify", [models, engine, hub]],
  ])("%s", async (command, unneeded) => {
    const sources = await sourcesLoadedBy(command);
    expect(sources).toContain("src/main.ts");
    expect(sources.filter((source) => unneeded.some((part) => part.test(source)))).toEqual([]);
  });

  it("and the parts that others do without are loaded where they are needed", async () => {
    const sources = await sourcesLoadedBy("keys ls");
    for (const part of [settings, database]) expect(sources.some((source) => part.test(source))).toBe(true);
  });
});
