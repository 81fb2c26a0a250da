/**
 * Tidies package-lock.json; run it after `npm install`. Removes
 * - `hasInstallScript` of every package whose script `allowScripts` in package.json does not allow: without that mark no version
 *   of npm runs the script at `npm ci`, also those before 11.16, which do not know `allowScripts`;
 * - `resolved`, so that packages come from the configured registry.
 *
 * Marks the binaries for CUDA as made for the platform `none`: `npm ci` leaves an optional package for another platform out, and
 * `npm install --no-save` of such a package reads its true platform from the registry and installs it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockPath = `${root}/package-lock.json`;

/** @type {{ allowScripts: Record<string, boolean> }} */
const { allowScripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
/** @type {{ packages: Record<string, { resolved?: string, hasInstallScript?: boolean, os?: string[] }> }} */
const lock = JSON.parse(readFileSync(lockPath, "utf8"));

const installedOnRequest = /^@node-llama-cpp\/.*-cuda(-ext)?$/;

for (const [folder, entry] of Object.entries(lock.packages)) {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  if (entry.hasInstallScript === true && allowScripts[name] !== true) {
    delete entry.hasInstallScript;
    process.stdout.write(`${name}: its install script will not run\n`);
  }
  if (installedOnRequest.test(name)) entry.os = ["none"];
  delete entry.resolved;
}
writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
