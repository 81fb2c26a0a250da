/**
 * `npm run package [-- FOLDER]`: builds what is stale and packs Hearth into hearth-X.Y.Z.tgz, in FOLDER or the working directory. That file
 * is what `npm install --global` and `npm publish` take. `--refuse` is for npm: `npm pack` in a checkout would pack something else. Exit
 * codes: 0 done, 1 a step failed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stagePackage } from "./release/package.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

process.exitCode = main(process.argv.slice(2));

/** @param {string[]} args */
function main(args) {
  if (args.includes("--refuse")) {
    process.stderr.write("Run `npm run package`: it packs Hearth with the packages that it needs.\n");
    return 1;
  }
  const built = spawnSync(process.execPath, ["scripts/build.mjs", "--if-stale"], {
    cwd: root,
    stdio: "inherit",
  });
  if (built.status !== 0) return 1;
  const target = resolve(args[0] ?? ".");
  mkdirSync(target, { recursive: true });
  const staged = mkdtempSync(join(tmpdir(), "hearth-package-"));
  try {
    stagePackage(root, staged);
    const packing = ["pack", "--silent", "--pack-destination", target];
    // npm is a script on Windows, which only a shell starts.
    const shell = process.platform === "win32";
    return spawnSync("npm", packing, { cwd: staged, stdio: "inherit", shell }).status ?? 1;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
