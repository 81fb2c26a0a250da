/**
 * Tidies package-lock.json; run it after `npm install`. Removes
 * - `hasInstallScript` of every package whose script `allowScripts` in package.json does not allow: without that mark no version
 *   of npm runs the script at `npm ci`, also those before 11.16, which do not know `allowScripts`;
 * - `resolved`, so that packages come from the configured registry.
 *
 * Removes the binaries for CUDA, and what names them: neither `npm ci` nor an install of a release, which names what the lock file does,
 * brings them, and `npm install` installs them on request.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lockPath = `${root}/package-lock.json`;

/** @type {{ allowScripts: Record<string, boolean> }} */
const { allowScripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
/** @type {{ packages: Record<string, { resolved?: string, hasInstallScript?: boolean, optionalDependencies?: Record<string, string> }> }} */
const lock = JSON.parse(readFileSync(lockPath, "utf8"));

const installedOnRequest = /^@node-llama-cpp\/.*-cuda(-ext)?$/;

for (const [folder, entry] of Object.entries(lock.packages)) {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  if (entry.hasInstallScript === true && allowScripts[name] !== true) {
    delete entry.hasInstallScript;
    process.stdout.write(`${name}: its install script will not run\n`);
  }
  if (installedOnRequest.test(name)) delete lock.packages[folder];
  for (const optional of Object.keys(entry.optionalDependencies ?? {}))
    if (installedOnRequest.test(optional)) delete entry.optionalDependencies?.[optional];
  delete entry.resolved;
}
writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
