/**
 * `npm run slim`: removes from node_modules what a server on this platform and CPU does not need: development packages, binaries for
 * other platforms and for GPUs, sources that were compiled at install. `--keep-gpu` keeps the GPU's binaries. It builds first, because
 * the compiler is removed, too. `npm ci` brings everything back. Exit codes: 0 done, 1 the build failed, 2 wrong usage.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureBytes, selectRemovals } from "./slim-removals.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");

process.exitCode = main(process.argv.slice(2));

/** @param {string[]} args */
function main(args) {
  const unknown = args.filter((arg) => arg !== "--keep-gpu");
  if (unknown.length > 0) return fail(`unknown option: ${unknown.join(", ")} (options: --keep-gpu)`);
  if (realpathSync(process.cwd()) !== realpathSync(root))
    return fail(`run it in ${root}: it removes files there`);
  if (!lstatSync(modules, { throwIfNoEntry: false })?.isDirectory())
    return fail("node_modules is not a folder here: run `npm ci` first");
  const built = spawnSync(process.execPath, ["scripts/build.mjs", "--if-stale"], {
    cwd: root,
    stdio: "inherit",
  });
  if (built.status !== 0) return 1;
  const { platform, arch } = process;
  const removals = selectRemovals(root, { platform, arch, keepsGpu: args.includes("--keep-gpu") });
  const before = measureBytes(modules);
  for (const { path } of removals) rmSync(join(root, path), { recursive: true, force: true });
  report(removals, before);
  return 0;
}

/**
 * @param {import("./slim-removals.mjs").Removal[]} removals
 * @param {number} before bytes of node_modules
 */
function report(removals, before) {
  /** @type {Map<string, { bytes: number, count: number }>} */
  const reasons = new Map();
  for (const { reason, bytes } of removals) {
    const sum = reasons.get(reason) ?? { bytes: 0, count: 0 };
    reasons.set(reason, { bytes: sum.bytes + bytes, count: sum.count + 1 });
  }
  const rows = [...reasons].toSorted(([, a], [, b]) => b.bytes - a.bytes);
  for (const [reason, { bytes, count }] of rows)
    process.stdout.write(`removed ${megabytes(bytes).padStart(7)}  ${reason} (${count})\n`);
  process.stdout.write(`node_modules: ${megabytes(before)} -> ${megabytes(measureBytes(modules))}\n`);
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  return 2;
}
