/** How this program was installed, which decides how npm adds to the install. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface InstalledProgram {
  readonly kind: "checkout" | "unpacked" | "project" | "global";
  /** The folder that has dist/. */
  readonly folder: string;
}

/** The same place from src/ and from dist/. */
const ownFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * A checkout has src/ beside its dist/. npm installs a package into a folder node_modules, which has a package.json beside it, unless it
 * is the one for all users.
 */
export function findInstallation(folder: string = ownFolder): InstalledProgram {
  if (existsSync(join(folder, "src", "main.ts"))) return { kind: "checkout", folder };
  const modules = dirname(folder);
  if (basename(modules) !== "node_modules") return { kind: "unpacked", folder };
  const isProject = existsSync(join(dirname(modules), "package.json"));
  return { kind: isProject ? "project" : "global", folder };
}

/** Returns the command that adds packages to the install. */
export function npmInstallCommand(packages: readonly string[], installed = findInstallation()): string {
  const options = { checkout: "--no-save", unpacked: "--no-save", project: "--save", global: "--global" };
  return `npm install ${options[installed.kind]} ${packages.join(" ")}`;
}

/** Returns the command that compiles what an install compiles. npm 12 runs no script that is not allowed. */
export function npmRebuildCommand({ kind } = findInstallation()): string {
  if (kind === "checkout") return "npm rebuild better-sqlite3";
  if (kind === "unpacked") return "node setup.mjs";
  return `npm rebuild ${kind === "global" ? "--global " : ""}--allow-scripts=hearth hearth`;
}
