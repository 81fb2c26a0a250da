/**
 * `npm pack` and `npm publish` run it: makes npm-shrinkwrap.json of package-lock.json, so that who installs the package gets the
 * versions of the lock file with their hashes, and what `overrides` has put in the place of others. npm reads neither package-lock.json
 * nor `overrides` of a package that is installed. `--remove` deletes it afterwards: npm would read it here, too.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toShrinkwrap } from "./release/shrinkwrap.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = `${root}/npm-shrinkwrap.json`;

if (process.argv.includes("--remove")) rmSync(file, { force: true });
else {
  /** @type {import("./release/shrinkwrap.mjs").Lock} */
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8"));
  writeFileSync(file, `${JSON.stringify(toShrinkwrap(lock), null, 2)}\n`);
}
