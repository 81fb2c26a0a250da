import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what all tests of a process share; it is deleted after the last test. */
    readonly sharedFolder: string;
  }
}

const build = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));

/**
 * Tests that start the real process or the engine's worker run from dist/. A type error does not stop them: the JavaScript
 * is there all the same, and the check's own step "types" fails for it.
 * @returns the clean-up after all tests
 */
export function setup(project: TestProject): () => void {
  const args = [build, "--if-stale", "--unchecked"];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.stderr.write("the build has errors (above); tests run with what it made\n");
  const folder = mkdtempSync(join(tmpdir(), "hearth-tests-"));
  project.provide("sharedFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
