/** A short form of `npm run chaos`: a killed server, and one that is cut off from its engines. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../kit/folder.js";
import { postgresUnavailable } from "../../kit/databases/postgres/available.js";

const reason = postgresUnavailable({});
const notRun = reason === null ? "" : ` (not run: ${reason})`;
const options = ["--servers", "2", "--rounds", "2", "--seed", "4", "--faults", "kill,cut-engine"];

it.runIf(reason === null)(
  `two servers of one database lose nothing, charge nothing twice and keep their limits while things fail${notRun}`,
  { timeout: 240_000 },
  async () => {
    const args = ["--import", "tsx", join(root, "scripts/qa/chaos.ts"), ...options];
    const chaos = promisify(execFile)(process.execPath, args, { cwd: root });
    const ended = await chaos.catch((thrown: unknown) => thrown as { stdout: string; stderr: string });
    const output = `${ended.stdout}\n${ended.stderr}`;
    expect(output).toContain("round 2");
    expect(output.split("must not be")[1]).toBeUndefined();
    await expect(chaos).resolves.toBeDefined();
  },
);
