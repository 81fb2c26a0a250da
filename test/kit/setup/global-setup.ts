import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { startPostgresHost } from "../databases/postgres/host.js";
import { redisProgram, spawnRedis } from "../databases/redis/spawn.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what all tests of a process share; it is deleted after the last test. */
    readonly sharedFolder: string;
    /** Where tests ask for databases of PostgreSQL. */
    readonly postgresHost: string;
    /** The address of a Redis server that tests share; "": there is none. */
    readonly redisUrl: string;
  }
}

const build = fileURLToPath(new URL("../../../scripts/build.mjs", import.meta.url));

/**
 * Tests that start the real process or the engine's worker run from dist/. A type error does not stop them: the JavaScript
 * is there all the same, and the check's own step "types" fails for it.
 * @returns the clean-up after all tests
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const args = [build, "--if-stale", "--unchecked"];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.stderr.write("the build has errors (above); tests run with what it made\n");
  const folder = mkdtempSync(join(tmpdir(), "hearth-tests-"));
  project.provide("sharedFolder", folder);
  const postgres = await startPostgresHost(process.env["HEARTH_TEST_POSTGRES"]);
  project.provide("postgresHost", postgres.url);
  const given = process.env["HEARTH_TEST_REDIS"] ?? "";
  // This is called for each project, and for the root; the tests of two of them use it.
  const isUsed = project.name !== "alone" && project.name !== "";
  const redis = isUsed && given === "" && redisProgram !== null ? await spawnRedis() : null;
  project.provide("redisUrl", redis?.url ?? given);
  return async () => {
    await redis?.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
