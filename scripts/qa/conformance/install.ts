/** Installs packages into a cache folder, one folder for each version, so that `npm ci` does not install them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../world/root.js";
import type { Agent } from "./agent.js";

export interface Packages {
  /** The npm package. */
  readonly name: string;
  readonly version: string;
  /** Packages that a program needs beside it, with their versions. */
  readonly beside?: readonly string[];
  /** A package among its dependencies that must be compiled. */
  readonly compiled?: string;
}

const cache = join(root, "coverage/conformance");
const installMsMax = 900_000;
/**
 * Dependencies are installed as they were on this day, after which every version named here was published: a release of today, whose own
 * dependencies may not be available yet, must not decide what a client does.
 */
const publishedBefore = "2026-11-21";

/** Returns the folder of an agent's package. @throws Error with npm's message if it cannot be installed. */
export function installAgent(agent: Pick<Agent, "name" | "version" | "setUp">): string {
  return join(installPackages(agent, agent.setUp), "node_modules", agent.name);
}

/**
 * Returns the folder whose `node_modules` has the packages.
 * @param setUp a script of the package that npm did not run
 * @throws Error with npm's message if they cannot be installed
 */
export function installPackages({ name, version, beside = [], compiled }: Packages, setUp?: string): string {
  const folder = join(cache, `${name.replace(/^@/, "").replaceAll("/", "-")}-${version}`);
  const complete = join(folder, "complete");
  const packages = [`${name}@${version}`, ...beside];
  const installed = [...packages, publishedBefore].join("\n");
  if (existsSync(complete) && readFileSync(complete, "utf8") === installed) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--before", publishedBefore];
  run(npm, ["install", ...options, ...packages], folder);
  if (compiled !== undefined) run(npm, ["rebuild", compiled], folder);
  if (setUp !== undefined) run(process.execPath, [setUp], join(folder, "node_modules", name));
  writeFileSync(complete, installed);
  return folder;
}

function run(program: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(program, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: installMsMax,
      encoding: "utf8",
    });
  } catch (thrown) {
    const output = thrown instanceof Error && "stderr" in thrown ? String(thrown.stderr) : String(thrown);
    const line = output.split("\n").find((each) => each.startsWith("npm error")) ?? output.slice(0, 200);
    throw new Error(`cannot be installed: ${line}`, { cause: thrown });
  }
}
