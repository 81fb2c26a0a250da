import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const build = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));

/**
 * Tests that start the real process or the engine's worker run from dist/. A type error does not stop them: the JavaScript
 * is there all the same, and the check's own step "build" fails for it.
 */
export function setup(): void {
  const { status } = spawnSync(process.execPath, [build, "--if-stale"], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.stderr.write("the build has errors (above); tests run with what it made\n");
}
