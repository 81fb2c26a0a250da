/**
 * Bundles the console for browsers, into dist/console/: the page, and its scripts and styles in assets/, whose names change with
 * their contents, so that browsers keep them forever. The code of each of its pages is a file of its own.
 */
import { build } from "esbuild";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * Bundles the console.
 * @param {string} root
 * @returns {Promise<{ outputs: Map<string, string | Uint8Array>, inputs: string[] } | null>} contents by absolute path, and the paths
 *   of the sources from the root; null when a source has errors, which are printed
 */
export async function bundleConsole(root) {
  const src = join(root, "src", "console");
  if (!existsSync(src)) return { outputs: new Map(), inputs: [] };
  const outdir = join(root, "dist", "console", "assets");
  const result = await build({
    absWorkingDir: root,
    entryPoints: [join(src, "main.tsx")],
    outdir,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    tsconfig: join(src, "tsconfig.json"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    legalComments: "none",
    logLevel: "error",
    write: false,
    metafile: true,
  }).catch(() => null);
  if (result === null) return null;
  /** @type {Map<string, string | Uint8Array>} */
  const outputs = new Map(result.outputFiles.map(({ path, contents }) => [path, contents]));
  const entries = [...outputs.keys()].filter((path) => /^main-/.test(basename(path)));
  outputs.set(join(dirname(outdir), "index.html"), writePage(join(src, "index.html"), entries));
  return { outputs, inputs: Object.keys(result.metafile.inputs) };
}

/**
 * Returns the page with links to its script and its styles.
 * @param {string} template
 * @param {readonly string[]} entries absolute paths
 */
function writePage(template, entries) {
  const folder = dirname(dirname(entries[0] ?? ""));
  const urls = entries.map((path) => `/console/${relative(folder, path).replaceAll("\\", "/")}`);
  const script = urls.find((url) => url.endsWith(".js"));
  const style = urls.find((url) => url.endsWith(".css"));
  return readFileSync(template, "utf8")
    .replace("<!-- styles -->", `<link rel="stylesheet" href="${style}" />`)
    .replace("<!-- scripts -->", `<script type="module" src="${script}"></script>`);
}
