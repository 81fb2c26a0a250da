/** A second checkout of the committed state, in which faults are planted and the check runs. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { affectedTests } from "../../check/affected.mjs";
import type { PlantedFault } from "./sites.js";

export type CheckSize = "small" | "all";

export interface Tree {
  /**
   * Runs the types and the tests of a size that a change of this file can affect, until a test fails that passes without the fault.
   * @returns the first failure in one line; null: everything passed
   */
  check(fault: PlantedFault, size: CheckSize): Promise<string | null>;
  close(): void;
}

export function openTree(repository: string): Tree {
  const folder = mkdtempSync(join(tmpdir(), "hearth-faults-"));
  const root = join(folder, "tree");
  execFileSync("git", ["worktree", "add", "--detach", "--quiet", root, "HEAD"], { cwd: repository });
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  cpSync(join(repository, "dist"), join(root, "dist"), { recursive: true, preserveTimestamps: true });
  return {
    async check({ path, text }, size) {
      const file = join(root, path);
      const before = readFileSync(file, "utf8");
      const test = (tests: readonly string[]) =>
        run(root, ["vitest/vitest.mjs", "run", "--bail", "1", "--passWithNoTests", ...tests], size);
      try {
        writeFileSync(file, text);
        const types = await run(root, ["typescript7/bin/tsc", "-p", "test", "--singleThreaded"], size);
        if (types !== null) return firstLine(types, /error TS/);
        const { near, far } = sortByPlace(affectedTests(root, [path]), path);
        let left = near;
        let later = far;
        while (left.length > 0 || later.length > 0) {
          const output = left.length > 0 ? await test(left) : null;
          if (output === null) {
            [left, later] = [later, []];
            continue;
          }
          const failed = /FAIL\s+.*?(test\/\S+\.test\.ts)/.exec(output)?.[1] ?? "";
          writeFileSync(file, before);
          if (failed !== "" && (await test([failed])) === null) return firstLine(output, /FAIL/);
          // It fails without the fault, too.
          writeFileSync(file, text);
          left = failed === "" ? [] : left.filter((path) => path !== failed);
        }
        return null;
      } finally {
        writeFileSync(file, before);
      }
    },
    close() {
      execFileSync("git", ["worktree", "remove", "--force", root], { cwd: repository });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the tests in the folder that mirrors the file's, which most likely find its faults, and the others. */
function sortByPlace(
  tests: readonly string[],
  path: string,
): { readonly near: readonly string[]; readonly far: readonly string[] } {
  const mirror = `${dirname(path).replace(/^src/, "test")}/`;
  const near = tests.filter((test) => test.startsWith(mirror));
  return { near, far: tests.filter((test) => !near.includes(test)) };
}

/** Runs a tool of node_modules. @returns its output if it failed, else null */
function run(root: string, [tool = "", ...args]: readonly string[], size: CheckSize): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "node_modules", tool), ...args], {
      cwd: root,
      env: { ...process.env, TEST_SIZE: size, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0 ? null : output));
  });
}

function firstLine(output: string, pattern: RegExp): string {
  const lines = output.split("\n").map((line) => line.trim());
  return lines.find((line) => pattern.test(line)) ?? lines.at(-1) ?? "";
}
