/**
 * Selects what a server does not need of node_modules on one platform. A package stays if the lock file names it for production; of
 * some packages only a part stays.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ path: string, reason: string, bytes: number }} Removal path: from the root, with slashes
 * @typedef {{ platform: string, arch: string, keepsGpu: boolean }} Target platform and arch as Node.js names them
 * @typedef {{ name?: string, dev?: boolean }} Entry of a lock file
 */

/**
 * Packages that `overrides` in package.json replaces by an empty one, an optional peer of node-llama-cpp, and what only MCP
 * servers need of their SDK, whose client is used here.
 */
const neverLoaded = [
  "onnxruntime-web",
  "prebuild-install",
  "typescript",
  "@hono/node-server",
  "express",
  "express-rate-limit",
  "hono",
];

const typesAndMaps = /\.(map|d\.[cm]?ts)$/;

/** @param {string} name of a package */
export function isNeverLoaded(name) {
  return neverLoaded.includes(name);
}

/** @param {string} name of a package @param {string} file path inside it */
export function isUnusedPart(name, file) {
  return unusedParts.get(name)?.pattern.test(file) === true || typesAndMaps.test(file);
}

/** Parts that are used at install only, or not at all, by package; a pattern is tried on the path of a file inside the package. */
const unusedParts = new Map([
  ["node-llama-cpp", { pattern: /^llama\/gitRelease\.bundle$/, reason: "sources of llama.cpp" }],
  [
    "better-sqlite3",
    {
      pattern: /^(deps|src)\/|^build\/(?!Release\/better_sqlite3\.node$)/,
      reason: "sources of SQLite",
    },
  ],
  ["@modelcontextprotocol/sdk", { pattern: /^dist\/cjs\//, reason: "never loaded" }],
  [
    "@huggingface/transformers",
    { pattern: /^(src|types)\/|^dist\/(?!transformers\.node\.mjs$)/, reason: "never loaded" },
  ],
  ["onnxruntime-node", { pattern: /^(lib|script)\//, reason: "never loaded" }],
  ["tiktoken", { pattern: /^(?!lite\/|encoders\/).+\.wasm$|^encoders\/.+\.c?js$/, reason: "never loaded" }],
]);

/**
 * Returns what to remove, packages before the parts of others, in the order of their paths. Reads only.
 * @param {string} root the folder that has package-lock.json and node_modules
 * @param {Target} target
 * @returns {Removal[]}
 */
export function selectRemovals(root, target) {
  /** @type {{ packages: Record<string, Entry> }} */
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return removalsIn(root, "node_modules", lock.packages, target);
}

/**
 * @param {string} root
 * @param {string} folder a node_modules folder
 * @param {Record<string, Entry>} locked
 * @param {Target} target
 * @returns {Removal[]}
 */
function removalsIn(root, folder, locked, target) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).toSorted();
  const tools = names.filter((name) => name.startsWith("."));
  const packages = names
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(root, folder, name)).map((inScope) => `${name}/${inScope}`)
        : [name],
    );
  return [
    ...tools.map((name) => whole(root, `${folder}/${name}`, "links and caches of tools")),
    ...packages.flatMap((name) => {
      const path = `${folder}/${name}`;
      const reason = reasonToRemove(name, locked[path], target);
      if (reason !== null) return [whole(root, path, reason)];
      return [
        ...findParts(root, path, name, target),
        ...removalsIn(root, `${path}/node_modules`, locked, target),
      ];
    }),
  ];
}

/**
 * @param {string} name
 * @param {Entry | undefined} entry
 * @param {Target} target
 * @returns {string | null} null if the package stays
 */
function reasonToRemove(name, entry, target) {
  const binary = /^@node-llama-cpp\/(.+)$/.exec(name)?.[1];
  if (binary !== undefined) return reasonToRemoveBinary(binary, target);
  if (entry === undefined) return "not in the lock file";
  if (entry.dev === true) return "development";
  return isNeverLoaded(name) ? "never loaded" : null;
}

/**
 * @param {string} binary such as `linux-x64-cuda-ext`
 * @param {Target} target
 */
function reasonToRemoveBinary(binary, { platform, arch, keepsGpu }) {
  const system = { darwin: "mac", win32: "win" }[platform] ?? platform;
  const own = `${system}-${arch === "arm" ? "armv7l" : arch}`;
  // Metal's binary is the only one for Apple Silicon.
  if (binary === own || binary === `${own}-metal`) return null;
  if (!binary.startsWith(`${own}-`)) return "other platforms";
  return keepsGpu ? null : "GPU";
}

/**
 * @param {string} root
 * @param {string} path of a package that stays
 * @param {string} name
 * @param {Target} target
 * @returns {Removal[]}
 */
function findParts(root, path, name, { platform, arch }) {
  const part = unusedParts.get(name);
  return filesIn(root, path).flatMap((file) => {
    const inside = file.slice(path.length + 1);
    if (part?.pattern.test(inside) === true) return [whole(root, file, part.reason)];
    if (name === "onnxruntime-node" && isForeignRuntime(inside, platform, arch))
      return [whole(root, file, "other platforms")];
    return typesAndMaps.test(inside) ? [whole(root, file, "types and source maps")] : [];
  });
}

/**
 * @param {string} inside
 * @param {string} platform
 * @param {string} arch
 */
function isForeignRuntime(inside, platform, arch) {
  const built = /^bin\/napi-v\d+\/([^/]+)\/([^/]+)\//.exec(inside);
  return built !== null && (built[1] !== platform || built[2] !== arch);
}

/**
 * Files of a package without the files of packages inside it.
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
export function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isFile()) return [path];
    return entry.isDirectory() && entry.name !== "node_modules" ? filesIn(root, path) : [];
  });
}

/**
 * @param {string} root
 * @param {string} path
 * @param {string} reason
 * @returns {Removal}
 */
function whole(root, path, reason) {
  return { path, reason, bytes: measureBytes(join(root, path)) };
}

/**
 * Bytes of a file or of everything in a folder; links are not followed.
 * @param {string} path
 * @returns {number}
 */
export function measureBytes(path) {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + measureBytes(join(path, name)), 0);
}
