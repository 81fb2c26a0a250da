/** Installs agents into a cache folder, one folder for each version, so that `npm ci` does not install them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent } from "./agent.js";

const cache = fileURLToPath(new URL("../../coverage/conformance/", import.meta.url));
const installMsMax = 600_000;

/** Returns the folder of an agent's package. @throws Error with npm's message if it cannot be installed. */
export function installAgent({ name, version, setUp }: Pick<Agent, "name" | "version" | "setUp">): string {
  const folder = join(cache, `${name.replace(/^@/, "").replaceAll("/", "-")}-${version}`);
  const installed = join(folder, "node_modules", name);
  const complete = join(folder, "complete");
  if (existsSync(complete)) return installed;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`];
  run(npm, args, folder);
  if (setUp !== undefined) run(process.execPath, [setUp], installed);
  writeFileSync(complete, "");
  return installed;
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
