/**
 * Bundles the program: each entry point becomes one file at the place of its source, and what several of them share lies in
 * dist/chunks/. To load a module costs more than to run it: before, a start loaded a thousand of them. Packages with native code,
 * those that find files beside their own, and those that read PDF files and decode sound, which are large and have no part in most
 * starts, are not bundled.
 */
import { build } from "esbuild";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Packages that are loaded from node_modules. */
export const unbundled = [
  "@huggingface/transformers",
  "better-sqlite3",
  "mpg123-decoder",
  "node-llama-cpp",
  "onnxruntime-node",
  "sharp",
  "tiktoken",
  "unpdf",
];

/** Files that start a process or a thread. */
const programs = /(^|\/)(main|worker|smoke)\.ts$/;

/** What scripts and tests import from dist/. */
const imported = [
  "app/app.ts",
  "cli/server/supervise.ts",
  "config/config.ts",
  "core/errors.ts",
  "engine/worker/onnx-threads.ts",
  "engine/worker/host.ts",
];

/** Stands in the first line of an output for the path from it to dist/, until it is known which output it is. */
const distFolder = "PATH-TO-DIST/";

/** CommonJS packages require parts of Node, which a module has no function for. Modules find what lies beside them by `urlOfDist`. */
const banner = `import { createRequire as createRequireOfPackages } from "node:module"; const require = createRequireOfPackages(import.meta.url); const urlOfDist = new URL("${distFolder}", import.meta.url);`;

/**
 * Bundles the sources in src/.
 * @param {string} root
 * @param {readonly string[]} sources absolute paths of the TypeScript files
 * @returns {Promise<{ outputs: Map<string, string>, inputs: string[] } | null>} contents by absolute path, and the paths of the
 *   sources from the root; null when a source has errors, which are printed
 */
export async function bundle(root, sources) {
  const [src, dist] = [join(root, "src"), join(root, "dist")];
  const names = new Map(sources.map((file) => [relative(src, file).replaceAll("\\", "/"), file]));
  const entryPoints = [...names].filter(([name]) => programs.test(name) || imported.includes(name));
  const result = await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map(([, file]) => file),
    outdir: dist,
    outbase: src,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: unbundled,
    banner: { js: banner },
    sourcemap: true,
    sourcesContent: false,
    // A running server holds its sources in memory.
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    write: false,
    metafile: true,
    plugins: [adaptSources(src)],
  }).catch(() => null);
  if (result === null) return null;
  const outputs = new Map(
    result.outputFiles.map(({ path, text }) => [
      path,
      text.replace(distFolder, `${relative(dirname(path), dist) || "."}/`.replaceAll("\\", "/")),
    ]),
  );
  return { outputs, inputs: Object.keys(result.metafile.inputs) };
}

/**
 * Adapts the sources to the bundle: `import.meta.url` stays the place of a module's own output, wherever the bundle has it; of zod only what is
 * used becomes part of the bundle, without its forty languages; and characters are escaped that the bundler leaves in regular expressions,
 * because V8 keeps a file with one of them in two bytes a character.
 * @param {string} src
 * @returns {import("esbuild").Plugin}
 */
function adaptSources(src) {
  return {
    name: "adapt-sources",
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const name = relative(src, path).replaceAll("\\", "/").replace(/\.ts$/, ".js");
        const contents = readFileSync(path, "utf8")
          .replaceAll("import.meta.url", `new URL("${name}", urlOfDist).href`)
          .replace('import { z } from "zod"', 'import * as z from "zod"')
          .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
        return { contents, loader: "ts" };
      });
    },
  };
}

/**
 * Returns the licenses of the packages that are part of the bundle, as these ask for.
 * @param {string} root
 * @param {readonly string[]} inputs paths from the root
 */
export function collectLicenses(root, inputs) {
  const folders = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => readLicense(join(root, folder)));
  return ["Parts of these packages are in the files of this folder.", ...texts].join(
    `\n\n${"-".repeat(80)}\n`,
  );
}

/** @param {string} folder */
function readLicense(folder) {
  /** @type {unknown} */
  const parsed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license } = /** @type {Record<string, unknown>} */ (parsed);
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "LICENCE", "LICENSE-MIT"]
    .map((each) => join(folder, each))
    .find((each) => existsSync(each));
  return `${String(name)} ${String(version)} (${String(license)})\n\n${file === undefined ? "" : readFileSync(file, "utf8").trim()}\n`;
}
