import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TestProcess, runProgram, startProcess } from "../../kit/program.js";
import { testKey } from "../../kit/server/settings.js";
import { backupOf, hearth, teamsIn, usedFolder } from "./backups.js";

/** Ends a server as a power cut does. */
async function kill(server: TestProcess): Promise<void> {
  server.child.kill("SIGKILL");
  await server.exited;
}

const start = (data: string): Promise<TestProcess> =>
  startProcess({ HEARTH_DATA: data, HEARTH_LOG_LEVEL: "info" });

describe("F11: after an end that was not clean", () => {
  it("a sound database is checked before it is used, and the log says so; after a clean end it is not", async () => {
    const data = await usedFolder();
    await kill(await start(data));
    const second = await start(data);
    expect(second.stderr()).toMatch(
      /"check":"whole","milliseconds":\d+,"msg":"the server did not end cleanly; its database was checked and is sound"/,
    );
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(existsSync(join(data, "server.running"))).toBe(false);
    expect((await start(data)).stderr()).not.toContain("did not end cleanly");
  });

  it("a damaged database keeps the server from starting, which names the remedy, and the remedy helps", async () => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    await kill(await start(data));
    const file = join(data, "hearth.db");
    // Moves the log into the database.
    expect(await teamsIn(data)).toContain("team-1");
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 4096 * 8, bytes.length - 4096 * 4);
    writeFileSync(file, bytes);
    const run = runProgram(["start"], { HEARTH_DATA: data, HEARTH_PORT: "0", HEARTH_API_KEY: testKey });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(
      /^hearth: the server did not end cleanly, and its database \S+\/hearth\.db is damaged: .+\. Restore a backup with `hearth restore FILE`/m,
    );
    expect(run.stdout()).not.toContain("listening");
    expect((await hearth(data, "restore", backup)).code).toBe(0);
    expect((await fetch(`${(await start(data)).url}/healthz`)).status).toBe(200);
  });

  it("a file that is no database any more keeps it from starting, too", async () => {
    const data = await usedFolder();
    await kill(await start(data));
    // Moves the log into the database.
    expect(await teamsIn(data)).toContain("team-1");
    writeFileSync(join(data, "hearth.db"), Buffer.alloc(8192, 7));
    const run = runProgram(["start"], { HEARTH_DATA: data, HEARTH_PORT: "0" });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain("it is not a SQLite database (SQLITE_NOTADB). Restore a backup with");
  });
});

it("F12: a start is refused while a restore is half done, and running it again completes it", async () => {
  const data = await usedFolder();
  const backup = await backupOf(data);
  mkdirSync(join(data, "restore-verified", "restored"), { recursive: true });
  renameSync(join(data, "hearth.db"), join(data, "restore-verified", "hearth.db"));
  for (const command of [["start"], ["keys", "ls"]]) {
    const run = runProgram(command, { HEARTH_DATA: data, HEARTH_PORT: "0" });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain("`hearth restore` was interrupted in this folder: run it again");
  }
  const { code, out } = await hearth(data, "restore", backup);
  expect([code, out]).toEqual([0, expect.stringMatching(/^undid a restore that was interrupted\nrestored /)]);
  expect(await teamsIn(data)).toEqual(["team-1"]);
});
